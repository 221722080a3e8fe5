import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { snippetsFor } from '../../packages/console/src/domain/snippets/snippets.ts'
import { VERIFIERS } from '../../packages/console/src/domain/snippets/verify.ts'
import { startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { isInstalled, START_MS } from './receiver-process.ts'
import { runSnippet, type SnippetCase, verdicts } from './snippet-programs.ts'

/** The program that runs each snippet, which may not be installed. */
const LANGUAGES: Readonly<Record<string, string>> = {
  curl: 'curl',
  client: 'node',
  segment: 'node',
  node: 'node',
  go: 'go',
  python: 'python3',
  php: 'php',
  ruby: 'ruby',
}

test.for(['curl', 'client', 'segment', 'go', 'python'])(
  'the snippet %s sends an event when saved and run as shown in the console',
  { timeout: START_MS },
  async (id, { skip }) => {
    const language = LANGUAGES[id]!
    if (!isInstalled({ language })) skipOrFail(language, 'HOOKLINE_REQUIRE_LANGUAGES', skip)
    await using service = await startService()
    const target = { address: service.url, writeKey: service.source.writeKey }
    const snippet = snippetsFor(target).find((each) => each.id === id)!
    const { status, output } = await runSnippet(snippet)
    expect([status, output]).toEqual([0, expect.not.stringMatching(/error/i)])
    const { data } = await service.api.call<{ data: object[] }>('GET', 'events')
    expect(data).toMatchObject([
      { event: { userId: 'u1', event: 'Order Completed', properties: { revenue: 39.95 } } },
    ])
  },
)

test('the cURL snippet shows why a call was refused', async () => {
  await using service = await startService()
  const [curl] = snippetsFor({ address: service.url, writeKey: `wk_'; echo "$HOME" #` })
  expect((await runSnippet(curl!)).output).toContain('unknown_write_key')
})

const SECRETS = ['a shared secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] as const
const BODY = JSON.stringify({ version: 1, type: 'track', userId: 'u1', event: 'Käse 🧀' })

/** Signs without code of the product, and then changes headers. */
function signed(secret: string, ageSeconds: number, changes: object = {}): SnippetCase {
  const at = String(Math.round(Date.now() / 1000) - ageSeconds)
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const digest = createHmac('sha256', key).update(`msg_1.${at}.${BODY}`).digest('base64')
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': at }
  return { body: BODY, headers: { ...headers, 'webhook-signature': `v1,${digest}`, ...changes } }
}

/** Requests, with whether a receiver must accept them. */
function casesOf(secret: string): readonly (readonly [SnippetCase, boolean])[] {
  const good = signed(secret, 0)
  const two = `v1,AAAA ${good.headers['webhook-signature']}`
  return [
    [good, true],
    [signed(secret, 240), true],
    [signed(secret, -240), true],
    [signed(secret, 0, { 'webhook-signature': two }), true],
    [{ ...good, body: BODY.replace('u1', 'u2') }, false],
    [signed('another secret', 0), false],
    [signed(secret, 360), false],
    [signed(secret, -360), false],
    [signed(secret, 0, { 'webhook-timestamp': 'NaN' }), false],
    [signed(secret, 0, { 'webhook-id': 'msg_2' }), false],
    [signed(secret, 0, { 'webhook-signature': 'v1, v2,YQ== ,' }), false],
    [{ body: BODY, headers: {} }, false],
  ]
}

test.for(VERIFIERS.flatMap(({ id, name }) => SECRETS.map((secret) => ({ id, name, secret }))))(
  'the verifier of $name accepts only requests signed with “$secret”',
  { timeout: START_MS },
  async ({ id, secret }, { skip }) => {
    const language = LANGUAGES[id]!
    if (!isInstalled({ language })) skipOrFail(language, 'HOOKLINE_REQUIRE_LANGUAGES', skip)
    const cases = casesOf(secret)
    const results = await verdicts(
      id,
      secret,
      cases.map(([request]) => request),
    )
    expect(results).toEqual(cases.map(([, isOurs]) => isOurs))
  },
)
