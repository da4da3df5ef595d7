import type { Page } from 'playwright/test';
import { expect, newName, test, typedTime } from '../fixtures';
import { readMatches, startTournament } from '../played';

/** A small picture as a file of the browser's. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGNgaPhPGhrVMKphVANZGgDvvX6CHXKXLgAAAABJRU5ErkJggg==',
  'base64',
);

/** Pastes a picture into the focused field, as after a screenshot. */
async function pasteImage(page: Page) {
  await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, png.toString('base64'));
}

test('a dispute is argued with screenshots, live on both sides, and ruled beside its thread', async ({
  open,
  rest,
  demo,
}) => {
  test.slow();
  const cup = await startTournament(rest, demo.project, { name: newName('Dispute Cup') }, 2);
  const [match] = await readMatches(rest, cup.id);
  const me = async (email: string) => (await (await rest(email))<{ name: string }>('GET', '/me')).body.name;
  const [one, two] = [await me('player1@demo.test'), await me('player2@demo.test')];
  const path = `/tournaments/${cup.slug}/matches/${match?.number}`;
  const first = await open('player1@demo.test', path);
  const second = await open('player2@demo.test', path, { viewport: { width: 390, height: 844 } });

  await first.getByRole('button', { name: 'Report result' }).click();
  const report = first.getByRole('dialog', { name: 'Report the result' });
  await report.getByRole('radio', { name: one }).click();
  await report.getByRole('button', { name: 'Report result' }).click();
  await expect(report).toBeHidden();

  await second.getByRole('button', { name: 'Dispute' }).click();
  const dispute = second.getByRole('dialog', { name: 'Dispute the result' });
  await dispute.getByLabel('What is wrong?').fill('You left after the first round.');
  await dispute.getByLabel('Screenshots').setInputFiles({ name: 'score.png', mimeType: 'image/png', buffer: png });
  await expect(dispute.getByRole('list', { name: 'Attached images' }).getByText('score.png')).toBeVisible();
  await dispute.getByRole('button', { name: 'Dispute', exact: true }).click();
  await expect(dispute).toBeHidden();

  // The other side reads it without a reload, and opens the picture.
  const thread = first.getByRole('region', { name: 'Thread of the match' });
  await expect(thread.getByText('You left after the first round.')).toBeVisible();
  await thread.getByRole('button', { name: `Screenshot by ${two}` }).click();
  const shown = first.getByRole('dialog', { name: `Screenshot by ${two}` }).getByRole('img');
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(16);
  await first.keyboard.press('Escape');

  await thread.getByLabel('Message').fill('The server crashed.');
  await pasteImage(first);
  await expect(thread.getByRole('list', { name: 'Attached images' }).getByText('pasted.png')).toBeVisible();
  await thread.getByRole('button', { name: 'Send' }).click();
  await expect(thread.getByLabel('Message')).toHaveValue('');
  const other = second.getByRole('region', { name: 'Thread of the match' });
  await expect(other.getByText('The server crashed.')).toBeVisible();
  await expect(other.getByRole('button', { name: `Screenshot by ${one}` })).toBeVisible();

  const desk = await open('moderator@demo.test', `/dashboard/demo/tournaments/${cup.slug}?tab=matches`);
  await desk.getByRole('button', { name: 'Rule' }).click();
  const rule = desk.getByRole('dialog', { name: 'Rule on the result' });
  await expect(rule.getByText('The server crashed.')).toBeVisible();
  await rule.getByLabel('Message').fill('Player 2 is right.');
  await rule.getByRole('button', { name: 'Send' }).click();
  await expect(other.getByText('Player 2 is right.')).toBeVisible();
  await rule.getByRole('radio', { name: two }).click();
  await rule.getByRole('button', { name: 'Rule', exact: true }).click();
  await expect(rule).toBeHidden();
  await expect(other.getByText(`decided: ${two} won.`)).toBeVisible();
  await expect(other.getByLabel('Message')).toBeHidden();

  // Nobody else sees that there is a thread.
  const visitor = await open(null, path);
  await expect(visitor.getByRole('heading', { level: 2 }).first()).toBeVisible();
  await expect(visitor.getByRole('region', { name: 'Thread of the match' })).toHaveCount(0);
});

test('players agree on another time, and only staff enter results where the organizer said so', async ({
  open,
  rest,
  demo,
}) => {
  const cup = await startTournament(rest, demo.project, { name: newName('Time Cup'), resultMode: 'staff' }, 2);
  const path = `/tournaments/${cup.slug}/matches/1`;
  const first = await open('player1@demo.test', path);
  const second = await open('player2@demo.test', path);
  await expect(first.getByText(/staff enter the result\.$/i).first()).toBeVisible();
  await expect(first.getByRole('button', { name: 'Report result' })).toHaveCount(0);

  const at = new Date(Date.now() + 5 * 3_600_000).toISOString();
  await first.getByRole('button', { name: 'Propose a time' }).click();
  const propose = first.getByRole('dialog', { name: 'Propose another time' });
  await propose.getByLabel('New time').fill(typedTime(at));
  await propose.getByRole('button', { name: 'Propose time' }).click();
  await expect(propose).toBeHidden();
  await expect(first.getByText('You propose to play on').first()).toBeVisible();

  await second.getByRole('button', { name: 'Decline' }).first().click();
  await expect(first.getByText('You propose to play on')).toHaveCount(0);
  await first.getByRole('button', { name: 'Propose a time' }).click();
  await propose.getByLabel('New time').fill(typedTime(at));
  await propose.getByRole('button', { name: 'Propose time' }).click();
  await second.getByRole('button', { name: 'Accept time' }).first().click();
  await expect(
    second.getByRole('region', { name: 'Thread of the match' }).getByText(/agreed to play on/),
  ).toBeVisible();
  const [match] = await readMatches(rest, cup.id);
  expect(match?.status).toBe('scheduled');
});

test('a player who keeps changing their report keeps staff neither from removing it nor from deciding', async ({
  open,
  rest,
  demo,
}) => {
  const cup = await startTournament(rest, demo.project, { name: newName('Restless Cup') }, 2);
  const [match] = await readMatches(rest, cup.id);
  const [one, two] = match?.slots.map(({ name }) => name ?? '') ?? [];
  const emails = ['player1@demo.test', 'player2@demo.test'];
  const players = await Promise.all(
    emails.map(async (email) => {
      const send = await rest(email);
      return { send, name: (await send<{ name: string }>('GET', '/me')).body.name };
    }),
  );
  const first = players.find(({ name }) => name === one);
  const report = async (score: number) => {
    const body = { games: [{ scores: [score, 1] }] };
    expect((await first?.send('POST', `/matches/${match?.id}/report`, body))?.status).toBe(200);
  };
  const page = await open('moderator@demo.test', `/dashboard/demo/tournaments/${cup.slug}?tab=matches`);
  const changeDuring = (request: RegExp, score: number) =>
    page.route(
      request,
      async (route) => {
        await report(score);
        await route.continue();
      },
      { times: 1 },
    );
  const changed = 'The reports have changed since you looked at them, so nothing was saved.';
  const beforeAndNow = [10, 11].map((score) => `${one} reported: ${one} won ${score}–1.`);

  await report(10);
  await page.getByRole('button', { name: 'Remove report' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove the report' });
  await changeDuring(/matches\.reopen/, 11);
  await remove.getByRole('button', { name: 'Remove report' }).click();
  await expect(remove.getByText(changed)).toBeVisible();
  await expect(remove.getByRole('definition')).toHaveText(beforeAndNow);
  await changeDuring(/matches\.reopen/, 12);
  await remove.getByRole('button', { name: 'Remove anyway' }).click();
  await expect(remove).toBeHidden();
  expect((await readMatches(rest, cup.id))[0]?.status).toBe('ready');

  await report(10);
  await page.getByRole('button', { name: 'Rule' }).click();
  const rule = page.getByRole('dialog', { name: 'Rule on the result' });
  await rule.getByLabel(`Game 1, ${one}`).fill('3');
  await rule.getByLabel(`Game 1, ${two}`).fill('13');
  await changeDuring(/matches\.resolve/, 11);
  await rule.getByRole('button', { name: 'Rule', exact: true }).click();
  await expect(rule.getByText(changed)).toBeVisible();
  await expect(rule.getByRole('definition')).toHaveText(beforeAndNow);
  await changeDuring(/matches\.resolve/, 12);
  await rule.getByRole('button', { name: 'Decide anyway' }).click();
  await expect(rule).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Finished 1' })).toBeVisible();
  const { body } = await (await rest('moderator@demo.test'))<{ winnerId: string; games: { scores: number[] }[] }>(
    'GET',
    `/matches/${match?.id}`,
  );
  expect([body.winnerId, body.games[0]?.scores]).toEqual([match?.slots[1]?.participantId, [3, 13]]);
});
