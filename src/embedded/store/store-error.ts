/** An error in S3's terms: the HTTP status, S3's code and a sentence. */
export class StoreError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
