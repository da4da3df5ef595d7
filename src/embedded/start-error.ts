/** A reason not to start that the operator can act on; only its message is shown, without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
