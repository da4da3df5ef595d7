/** The element id of a participant's row. */
export const rowId = (id: string) => `participant-${id}`;
