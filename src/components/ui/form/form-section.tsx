import type { ReactNode } from 'react';

/** A section of a long form: title and description beside its fields, or above them on phones. */
export function FormSection({
  title,
  description,
  children,
}: {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="grid gap-x-12 gap-y-4 border-t py-8 first:border-t-0 first:pt-0 lg:grid-cols-[16rem_minmax(0,1fr)]">
      <div>
        <h2 className="display text-lg">{title}</h2>
        {description ? <div className="mt-1 text-muted">{description}</div> : null}
      </div>
      <div className="grid max-w-2xl gap-5">{children}</div>
    </section>
  );
}

/** Two fields side by side, stacked on phones. */
export function FieldRow({ children }: { children: ReactNode }) {
  return <div className="grid gap-5 sm:grid-cols-2">{children}</div>;
}

/** The buttons at the end of a form. They stay visible while scrolling. */
export function FormActions({ children, note }: { children: ReactNode; note?: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-3 border-t bg-page px-4 py-3 max-md:bottom-14 sm:-mx-0 sm:px-0">
      {note ? <p className="mr-auto text-muted">{note}</p> : null}
      {children}
    </div>
  );
}
