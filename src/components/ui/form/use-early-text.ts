import {
  type ChangeEvent,
  type ChangeEventHandler,
  type Ref,
  useCallback,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';

type TextControl = HTMLInputElement | HTMLTextAreaElement;

const never = () => () => undefined;

/**
 * Keeps what a person typed, or the browser filled in, before React ran: `onChange` is called with it once React is ready.
 * Returns the ref for the control.
 */
export function useEarlyText<Control extends TextControl>(
  ref: Ref<Control> | undefined,
  onChange: ChangeEventHandler<Control> | undefined,
) {
  const isHydrating = useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
  const early = useRef<{ control: Control; text: string } | null>(null);
  const waits = useRef(isHydrating);
  const replay = useRef(onChange);

  useEffect(() => {
    if (!early.current) return;
    const { control, text } = early.current;
    early.current = null;
    // Another field's handler may have filled this one meanwhile.
    if (control.value !== text) control.value = text;
    replay.current?.({ type: 'change', target: control, currentTarget: control } as ChangeEvent<Control>);
  }, []);

  return useCallback(
    (control: Control | null) => {
      if (control && waits.current) {
        waits.current = false;
        // React leaves the text of an input as it is, and makes the server's text the default.
        if (control.value !== control.defaultValue) early.current = { control, text: control.value };
      }
      if (typeof ref === 'function') return ref(control);
      if (ref) ref.current = control;
    },
    [ref],
  );
}
