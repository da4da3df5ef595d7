import { expect, test } from 'vitest';
import { isAlias, mailboxOf } from './budget';

test.each([
  ['ada@players.test', ['ada+cup@players.test', 'Ada+a+b@Players.test']],
  ['adalovelace@gmail.com', ['ada.lovelace@gmail.com', 'a.d.a.lovelace+cup@googlemail.com']],
  ['adalovelace@proton.me', ['ada.lovelace@proton.me', 'ada-love_lace+cup@proton.me']],
  ['adalovelace@protonmail.com', ['ada_lovelace@protonmail.com']],
  ['adalovelace@pm.me', ['ada-lovelace@pm.me']],
  ['ada@yahoo.com', ['ada-cup@yahoo.com', 'ada-cup-2@yahoo.com']],
  ['ada@yahoo.co.uk', ['ada-cup@yahoo.co.uk']],
  ['ada.lovelace@yandex.ru', ['ada-lovelace@yandex.ru', 'ada-lovelace+cup@yandex.ru']],
  ['ada@fastmail.com', ['ada+cup@fastmail.com', 'cup@ada.fastmail.com', 'cup+2@ada.fastmail.com']],
  ['ada@outlook.com', ['ada+cup@outlook.com']],
  ['ada@icloud.com', ['ada+cup@icloud.com']],
])('what a provider delivers to %s counts as that address', (address, aliases) => {
  expect(isAlias(address)).toBe(false);
  for (const alias of aliases)
    expect([alias, isAlias(alias), mailboxOf(alias)]).toEqual([alias, true, mailboxOf(address)]);
});

test.each([
  'a.da@players.test',
  'ada-cup@players.test',
  'ada-cup@outlook.com',
  'cup@ada.players.test',
  'ada@notgmail.com',
])('%s is a mailbox of its own', (address) => expect(isAlias(address)).toBe(false));
