import type { ReportKind } from './reports';

/** What a client reports, by kind, in the words of its player. */
export const collected: Record<ReportKind, { name: string; what: string }> = {
  reaction: {
    name: 'Reactions',
    what: 'The time from a target becoming visible to your shot at it.',
  },
  aim: {
    name: 'Aim',
    what: 'How far and how fast your view turned before a shot, and whether the shot hit.',
  },
  input: {
    name: 'Input',
    what: 'The time between presses of a control of the game, such as jump. Not what you type elsewhere.',
  },
  process: {
    name: 'Programs',
    what: 'The names of the programs that run beside the game. Not their windows or what is in them.',
  },
  module: {
    name: 'Game files',
    what: 'The names and checksums of the files that the game has loaded.',
  },
};
