import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { asService, openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { buildGo, GO_BUILD_MS, skipWithoutGo } from '@hookline/testing/programs/go'
import { startService } from '@hookline/testing/service/running-service'

const run = promisify(execFile)

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url))
const MODULE = fileURLToPath(new URL('../../clients/go', import.meta.url))
const ORIGINAL = 'github.com/segmentio/analytics-go'
const OURS = 'hookline.dev/clients/go'

/** The fields of a webhook request that a program determines. */
type Delivered = Readonly<Record<string, unknown>>

const user = (index: number) => `u${index}`
const names = (count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => user(at + first))

/** Each program's deliveries, in any order. */
const EXPECTED: Readonly<Record<string, readonly Delivered[]>> = {
  calls: [
    { type: 'identify', userId: '019mr8mf4r', traits: { plan: 'Enterprise', friends: 42 } },
    { type: 'track', userId: 'f4ca124298', event: 'Signed Up', properties: { plan: 'Enterprise' } },
    { type: 'track', anonymousId: 'visitor-1', event: 'Article Bookmarked' },
    {
      type: 'page',
      userId: 'f4ca124298',
      category: 'Docs',
      name: 'Go library',
      properties: { url: 'https://shop.example/docs', path: '/docs' },
      context: { ip: '203.0.113.7' },
    },
    { type: 'page', anonymousId: 'visitor-1' },
    { type: 'group', userId: '019mr8mf4r', groupId: '56', traits: { name: 'Initech' } },
    { type: 'alias', 'User ID': '019mr8mf4r', 'Previous ID': 'visitor-1' },
  ],
  integrations: [
    { type: 'identify', userId: 'only-webhooks' },
    { type: 'page', userId: 'all' },
    { type: 'group', userId: 'not-another' },
  ],
  'alias-integrations': [{ type: 'alias', 'User ID': 'u1', 'Previous ID': 'visitor-1' }],
  history: ['identify', 'track', 'page', 'group', 'alias'].map((type) => ({
    type,
    timestamp: '2014-12-12T19:04:59.123Z',
  })),
  'each-call': ['u1', 'u2', 'u3'].map((userId) => ({ event: 'One request', userId })),
  batches: names(5, 1).map((userId) => ({ event: 'Batched', userId })),
  handler: names(50).map((userId) => ({ event: 'Visited', userId })),
}

/** Programs with documented features that the original library lacks, with the compiler error. */
const NOT_IN_ORIGINAL: Readonly<Record<string, string>> = {
  'alias-integrations': 'unknown field Integrations in struct literal',
  batches: 'client.FlushAt undefined',
}

test('every program in the folder is tested', () => {
  const folders = readdirSync(PROGRAMS, { withFileTypes: true }).filter((it) => it.isDirectory())
  expect(folders.map(({ name }) => name).toSorted()).toEqual(Object.keys(EXPECTED).toSorted())
})

describe.for(Object.keys(EXPECTED))('the program %s', (program) => {
  test(
    'delivers each of its calls with our library',
    { timeout: GO_BUILD_MS },
    async ({ skip }) => {
      skipWithoutGo(skip)
      using folder = new TemporaryFolder()
      await expectDeliveries(program, await buildGo(withOurImport(folder.path), program))
    },
  )

  test(
    'delivers the same with the original library, or does not compile if that lacks a documented feature',
    { timeout: GO_BUILD_MS },
    async ({ skip }) => {
      skipWithoutGo(skip)
      const missing = NOT_IN_ORIGINAL[program]
      const built = buildGo(PROGRAMS, program)
      if (missing === undefined) await expectDeliveries(program, await built)
      else await expect(built).rejects.toThrow(missing)
    },
  )
})

test('DEBUG=analytics enables logging', { timeout: GO_BUILD_MS }, async ({ skip }) => {
  skipWithoutGo(skip)
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver({ respond: asService(200) })
  const binary = await buildGo(withOurImport(folder.path), 'each-call')
  const { origin } = new URL(receiver.url)
  const { stderr } = await send(binary, { ENDPOINT: origin, DEBUG: 'analytics' })
  expect(stderr).toMatch(/queued track [\w-]+ \d+ bytes/)
  expect(stderr).not.toContain('One request')
})

/** Copies the programs, and changes only the import. */
function withOurImport(path: string): string {
  const copy = join(path, 'ours')
  cpSync(PROGRAMS, copy, { recursive: true })
  for (const name of Object.keys(EXPECTED)) {
    const file = join(copy, name, 'main.go')
    const source = readFileSync(file, 'utf8')
    expect(source.split(`"${ORIGINAL}"`)).toHaveLength(2)
    writeFileSync(file, source.replace(`"${ORIGINAL}"`, `"${OURS}"`))
  }
  const requires = `require ${OURS} v0.1.0\nreplace ${OURS} => ${MODULE}\n`
  writeFileSync(join(copy, 'go.mod'), `module ours\n\ngo 1.21\n\n${requires}`)
  return copy
}

function send(binary: string, environment: Readonly<Record<string, string>>) {
  return run(binary, [], { env: { WRITE_KEY: 'wk_test', ...environment } })
}

/** Runs a program against the service, and expects exactly its deliveries at the receiver. */
async function expectDeliveries(program: string, binary: string): Promise<void> {
  const expected = EXPECTED[program]!
  await using receiver = await openReceiver()
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  await send(binary, { WRITE_KEY: service.source.writeKey, ENDPOINT: service.url })
  await receiver.waitFor(expected.length)
  const bodies = receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Delivered)
  expect(bodies).toHaveLength(expected.length)
  for (const each of expected) expect(bodies).toContainEqual(containing(each))
}

/** Matches objects that have at least these fields at each level. */
function containing(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, containing(field)])
  return expect.objectContaining(Object.fromEntries(fields))
}
