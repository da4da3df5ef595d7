/** The id in the page of an entrant's row. */
export const rowId = (id: string) => `entrant-${id}`;
