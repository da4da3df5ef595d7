export type BracketErrorCode =
  | 'NOT_ENOUGH_PARTICIPANTS'
  | 'INVALID_OPTIONS'
  | 'INVALID_SEEDING'
  | 'INVALID_TREE'
  | 'INVALID_RECORD'
  | 'UNKNOWN_MATCH'
  | 'UNKNOWN_PARTICIPANT'
  | 'UNKNOWN_STAGE'
  | 'MATCH_NOT_READY'
  | 'MATCH_ALREADY_DECIDED'
  | 'MATCH_NOT_DECIDED'
  | 'INVALID_RESULT'
  | 'ALREADY_DEPARTED'
  | 'NOT_DEPARTED'
  | 'STAGE_NOT_DRAWN'
  | 'STAGE_NOT_OVER'
  | 'STAGE_ALREADY_BEGUN';

/** A request that the rules of the bracket refuse. The message is for people; the code is stable. */
export class BracketError extends Error {
  readonly code: BracketErrorCode;

  constructor(code: BracketErrorCode, message: string) {
    super(message);
    this.name = 'BracketError';
    this.code = code;
  }
}
