import { Mark } from '@/components/shell/mark';

export default function Loading() {
  return (
    <div role="status" className="grid min-h-[50dvh] place-items-center">
      <Mark className="size-10 text-line-strong" />
      <span className="sr-only">Loading</span>
    </div>
  );
}
