import { useCallback } from 'react';
import {
  type FieldValues,
  get,
  type UseFormProps,
  type UseFormRegister,
  type UseFormReturn,
  useForm as useReactHookForm,
} from 'react-hook-form';

/** What an uncontrolled input shows for a value of the form: nothing for null, NaN and what is not text or a number. */
function inputText(value: unknown): string | number {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) ? value : '';
}

/**
 * React Hook Form's `useForm` for server-rendered forms. Its own `register` fills an input only once React runs in the
 * browser; here `register` also returns the `defaultValue`, so that the input has its value in the HTML.
 */
export function useForm<Values extends FieldValues = FieldValues, Context = unknown, Output = Values>(
  props: UseFormProps<Values, Context, Output> = {},
): UseFormReturn<Values, Context, Output> {
  const form = useReactHookForm(props);
  const { register: registerField } = form;
  const { defaultValues } = form.formState;
  const register: UseFormRegister<Values> = useCallback(
    (name, options) => ({ ...registerField(name, options), defaultValue: inputText(get(defaultValues, name)) }),
    [registerField, defaultValues],
  );
  return { ...form, register };
}
