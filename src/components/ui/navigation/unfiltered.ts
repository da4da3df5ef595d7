/** The value of a filter's option that leaves nothing out. */
export const unfiltered = 'any';

/** A chosen option as the address has it, which says nothing of a filter that leaves nothing out. */
export const toParam = (value: string): string | null => (value === unfiltered ? null : value);
