'use client';

import { ArrowBigUp, Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useState } from 'react';
import { Input } from '@/components/ui/form/input';

/** A password input that can show the password and warns about Caps Lock. For use in a Field. */
export function PasswordInput(props: Omit<ComponentProps<typeof Input>, 'type' | 'suffix' | 'prefix'>) {
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);

  function checkCapsLock(event: KeyboardEvent<HTMLInputElement>) {
    setCapsLock(event.getModifierState('CapsLock'));
  }

  return (
    <>
      <Input
        {...props}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="off"
        onKeyDown={checkCapsLock}
        onKeyUp={checkCapsLock}
        suffix={
          <button
            type="button"
            aria-pressed={shown}
            aria-label={shown ? 'Hide password' : 'Show password'}
            onClick={() => setShown(!shown)}
            className="-mr-2 grid size-8 place-items-center rounded text-muted hover:text-ink max-sm:size-10"
          >
            {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </button>
        }
      />
      <p role="status" className="text-xs text-muted empty:hidden">
        {capsLock ? (
          <span className="flex items-center gap-1.5">
            <ArrowBigUp aria-hidden className="size-4" />
            Caps Lock is on
          </span>
        ) : null}
      </p>
    </>
  );
}
