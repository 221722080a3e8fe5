import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Receiver } from '@hookline/testing/receiver/receiver'
import { columnsOf } from '../../../src/layout/measure.ts'
import { ApiService } from '@hookline/testing/cli/api-service'
import { screenOf, type ScreenOptions, SteadyService } from './screen.ts'
import { makeRecords, type Records } from './records.ts'

// The folder of a snapshot names the width of the screen.

const BODY = `<html>\n<title>502 Bad Gateway</title>\n\u001b[2J${'<!-- padding -->'.repeat(12)}\n</html>\n`

const stack = new AsyncDisposableStack()
let service: ApiService
let records: Records

beforeAll(async () => {
  const html = { status: 502, headers: { 'content-type': 'text/html' }, body: BODY }
  const failing = stack.use(await new Receiver({ respond: html }).listen())
  const accepting = stack.use(await new Receiver({}).listen())
  service = stack.use(await ApiService.start('--retry-schedule', '1d'))
  const real = await makeRecords(service, { failing, accepting })
  const steady = new SteadyService()
  const ids = Object.entries(real).map(([name, id]) => [name, steady.idOf(id)])
  records = Object.fromEntries(ids) as Records
  steady.install()
  // So that ids do not depend on which tests run.
  for (const line of COMMANDS) await run(line, {})
})

afterAll(async () => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
  await stack.disposeAsync()
})

/** Every command that lists or shows records. `<name>` is replaced by an id. */
const COMMANDS = [
  'sources list',
  'sources get <source>',
  'destinations list',
  'destinations get <destination>',
  'tokens list',
  'alerts list',
  'alerts conditions',
  'problems',
  'audiences list',
  'audiences get <audience>',
  'audiences members <audience>',
  'audiences explain <audience> u1',
  'traits list',
  'traits get <trait>',
  'traits values <trait>',
  'profiles get u1',
  // Only events from a source, because computed events arrive in any order.
  'events list --source <hostile>',
  'events list --source <hostile> --limit 2',
  'events names',
  'events get <event>',
  'deliveries list',
  'deliveries get <delivery>',
  'deliveries failures',
  'replays list',
  'replays get <replay>',
  'deletions list',
  'deletions get <deletion>',
  'suppressions list',
  'audit',
]

/** In addition to 80 columns without colours: all styles in use, and a list too wide for 80 columns. */
const SCREENS: readonly (ScreenOptions & { readonly line: string })[] = [
  ...COMMANDS.map((line) => ({ line, columns: 80 })),
  { line: 'destinations list', columns: 80, colours: true },
  { line: 'events get <event>', columns: 80, colours: true },
  { line: 'audiences explain <audience> u1', columns: 80, colours: true },
  { line: 'destinations list', columns: 160 },
]

function run(line: string, look: ScreenOptions): Promise<string> {
  const words = line.replaceAll(/<(\w+)>/g, (_all, name: keyof Records) => records[name]).split(' ')
  return screenOf([...words, '--url', service.url, '--token-file', service.tokenFile], look)
}

const fileOf = (line: string) =>
  line.replaceAll(/ --source| <\w+>/g, '').replaceAll(/ (?:--)?/g, '-')

test.each(SCREENS)('the output of `hookline $line` is unchanged: %j', async ({ line, ...look }) => {
  const folder = `${look.columns}${'colours' in look ? '-colours' : ''}`
  const text = await run(line, look)
  await expect(text).toMatchFileSnapshot(`snapshots/${folder}/${fileOf(line)}.txt`)
})

test.each(COMMANDS.filter((line) => line.includes('list')))(
  '`hookline %s` fits in 80 columns, and names cannot control the terminal',
  async (line) => {
    const text = await run(line, { columns: 80, colours: true })
    // The only escape sequences are our colours.
    const rest = text.replaceAll(/␛\[(?:1|2|22|3\d|39)m/g, '')
    expect(rest).not.toMatch(/[^\P{C}\n]|␛|\u200b/u)
    for (const each of rest.split('--- stderr')[0]!.split('\n'))
      expect(columnsOf(each)).toBeLessThanOrEqual(80)
  },
)

test('without a terminal, lists are not cut, and times are exact', async () => {
  const text = await run('events list --source <hostile>', {})
  expect(text).toContain('a-user-with-an-id-that-is-as-long-as-a-sentence')
  expect(text).toMatch(/^2026-07-01T11:57:00\.000Z +evt_/m)
  await expect(text).toMatchFileSnapshot('snapshots/no-screen/events-list.txt')
})

test('a list continues at the cursor that it printed', async () => {
  const all = JSON.parse(await run('events list --source <hostile> --json', {})) as {
    data: { id: string }[]
  }
  const first = await run('events list --source <hostile> --limit 2', { columns: 80 })
  const cursor = /--cursor (\S+) /.exec(first)![1]!
  const rest = JSON.parse(
    await run(`events list --source <hostile> --json --cursor ${cursor}`, {}),
  ) as typeof all
  expect(rest.data).toEqual(all.data.slice(2))
})
