import { cn } from '@/components/ui/cn';

/** The eight leaves of the wreath in a 24 by 24 view box: right branch first, from the stem up. */
const leaves = [
  'M12.92 18.54Q15 24.33 20.61 20.74Q17.76 14.72 12.92 18.54Z',
  'M16.47 16.85Q21.58 19.99 23.66 13.85Q17.83 11.01 16.47 16.85Z',
  'M18.44 13.45Q24.23 12.73 22.07 6.8Q15.92 8.19 18.44 13.45Z',
  'M18.12 9.53Q22.07 5.47 16.84 2.28Q13.01 7.06 18.12 9.53Z',
  'M11.08 18.54Q6.24 14.72 3.39 20.74Q9 24.33 11.08 18.54Z',
  'M7.53 16.85Q6.17 11.01 0.34 13.85Q2.42 19.99 7.53 16.85Z',
  'M5.56 13.45Q8.08 8.19 1.93 6.8Q-0.23 12.73 5.56 13.45Z',
  'M5.88 9.53Q10.99 7.06 7.16 2.28Q1.93 5.47 5.88 9.53Z',
].join('');

/** The laurel wreath, in the current text color. */
export function LogoMark({ className }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" fill="currentColor" className={cn('size-6 shrink-0', className)}>
      <path d={leaves} />
    </svg>
  );
}

/** The wreath and the name. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2', className)}>
      <LogoMark className="text-accent" />
      <span className="display text-xl text-ink">Laurel</span>
    </span>
  );
}
