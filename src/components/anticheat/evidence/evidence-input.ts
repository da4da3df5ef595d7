/** Files of evidence on a page. */
export const evidencePerPage = 10;

/** The input of a page of evidence; server and browser use the same, to share what was read. */
export function evidenceInput(subject: { projectId: string; detectionId: string }, page = 1) {
  return { ...subject, page, limit: evidencePerPage };
}
