'use client';

import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/form/button';
import { Input } from '@/components/ui/form/input';

const maxChoices = 50;

/** A longer list begins with so many, so that a form with many long lists is short to read and quick to show. */
const foldedChoices = 5;
const foldedFrom = 9;

/**
 * The choices of a question, one per line. Enter adds one, Backspace in an empty one removes it, Alt with an arrow key
 * moves it, and pasted lines become one choice each.
 */
export function ChoicesEditor({
  value,
  disabled,
  onChange,
  onBlur,
}: {
  value: string[];
  disabled: boolean;
  onChange: (options: string[]) => void;
  onBlur: () => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const ownId = useId();
  const [isFolded, setIsFolded] = useState(value.length >= foldedFrom);
  const shown = value.length > 0 ? value : [''];
  // A choice has no identity except its position.
  const rows = shown
    .slice(0, isFolded ? foldedChoices : undefined)
    .map((option, index) => ({ option, index, id: `${ownId}-${index}` }));

  /** Focuses a choice once it has rendered. */
  function focus(index: number) {
    requestAnimationFrame(() => list.current?.querySelectorAll('input')[index]?.focus());
  }
  const replace = (index: number, ...texts: string[]) => [
    ...shown.slice(0, index),
    ...texts,
    ...shown.slice(index + 1),
  ];

  function add(after: number) {
    if (shown.length >= maxChoices) return;
    setIsFolded(false);
    onChange([...shown.slice(0, after + 1), '', ...shown.slice(after + 1)]);
    focus(after + 1);
  }
  function remove(index: number) {
    onChange(replace(index));
    focus(Math.max(index - 1, 0));
  }
  function move(index: number, to: number) {
    if (to < 0 || to >= shown.length) return;
    const next = shown.toSpliced(index, 1);
    onChange(next.toSpliced(to, 0, shown[index] ?? ''));
    focus(to);
  }

  return (
    <div className="grid grid-cols-1 justify-items-start gap-2">
      <ol ref={list} className="grid w-full grid-cols-1 gap-2">
        {rows.map(({ option, index, id }) => (
          <li key={id} className="flex items-center gap-1">
            <Input
              id={id}
              aria-label={`Choice ${index + 1}`}
              value={option}
              disabled={disabled}
              maxLength={120}
              dir="auto"
              className="min-w-0"
              onChange={(event) => onChange(replace(index, event.target.value))}
              onBlur={onBlur}
              onPaste={(event) => {
                const lines = event.clipboardData
                  .getData('text')
                  .split(/\r?\n/)
                  .filter((line) => line.trim());
                if (lines.length < 2) return;
                event.preventDefault();
                onChange(
                  replace(index, ...(option ? [option] : []), ...lines.map((line) => line.trim())).slice(0, maxChoices),
                );
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') {
                  event.preventDefault();
                  add(index);
                } else if (event.key === 'Backspace' && option === '' && shown.length > 1) {
                  event.preventDefault();
                  remove(index);
                } else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
                  event.preventDefault();
                  event.stopPropagation();
                  move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
                }
              }}
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Move choice ${index + 1} up`}
              disabled={disabled || index === 0}
              onClick={() => move(index, index - 1)}
              icon={<ArrowUp aria-hidden />}
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Move choice ${index + 1} down`}
              disabled={disabled || index === shown.length - 1}
              onClick={() => move(index, index + 1)}
              icon={<ArrowDown aria-hidden />}
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Remove choice ${index + 1}`}
              disabled={disabled || shown.length === 1}
              onClick={() => remove(index)}
              icon={<X aria-hidden />}
            />
          </li>
        ))}
      </ol>
      {isFolded ? (
        <Button
          variant="ghost"
          size="sm"
          onClick={() => {
            setIsFolded(false);
            focus(foldedChoices);
          }}
        >
          Show all {shown.length} choices
        </Button>
      ) : null}
      <Button
        size="sm"
        icon={<Plus aria-hidden />}
        disabled={disabled || shown.length >= maxChoices}
        onClick={() => add(shown.length - 1)}
      >
        Add a choice
      </Button>
    </div>
  );
}
