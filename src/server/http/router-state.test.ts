import { expect, test } from 'vitest';
import { isRouterState } from './router-state';

type State = [segment: unknown, parallel: Record<string, State>, ...rest: unknown[]];

const page = (query: string): State => [`__PAGE__${query}`, {}, null, 'refetch'];
const nested = (segments: unknown[], inner: State): State =>
  segments.reduceRight<State>((within, segment) => [segment, { children: within }], inner);
const header = (state: unknown) => encodeURIComponent(JSON.stringify(state));

test('what browsers send of our pages is read', () => {
  const path = [
    '',
    '(dashboard)',
    'dashboard',
    ['projectId', 'prj_1', 'd', null],
    'tournaments',
    ['id', 'trn_1', 'd', null],
  ];
  expect(isRouterState(header(nested(path, page(''))))).toBe(true);
  const search = `?${JSON.stringify({ search: 'x'.repeat(300), phase: 'running' })}`;
  expect(isRouterState(header(nested(path, page(search))))).toBe(true);
  expect(isRouterState(undefined)).toBe(true);
});

test('what has more parts than any page, or is longer, is not read', () => {
  const deep = (depth: number) =>
    header(
      nested(
        Array.from({ length: depth }, () => ''),
        page(''),
      ),
    );
  expect([isRouterState(deep(60)), isRouterState(deep(70))]).toEqual([true, false]);
  expect(isRouterState('['.repeat(9_000))).toBe(false);
  const closing = JSON.parse(decodeURIComponent(deep(80))) as State;
  expect(isRouterState(header([']'.repeat(500), closing[1]]))).toBe(false);
  expect(isRouterState(header(['', {}, 'x'.repeat(9_000)]))).toBe(false);
});

test('what is no state, or comes twice, is not read', () => {
  for (const broken of ['x', '%E0%A4%A', '[]', '{"a":1}', ''])
    expect([broken, isRouterState(broken)]).toEqual([broken, false]);
  expect(isRouterState([header(page('')), header(page(''))])).toBe(false);
});
