import { expect, test } from 'vitest'
import { Output } from '../../src/output/output.ts'
import { systemText } from '../../src/output/system-text.ts'

type System = Parameters<typeof systemText>[1]
type Nodes = System['nodes']

const AT = '2026-01-15T12:00:00.000Z'
const BEHIND = { events: 0, oldestAt: null, ageMs: null }

const node = (id: string, change: Partial<Nodes[number]> = {}): Nodes[number] => ({
  id,
  version: '1.2.3',
  role: 'all',
  startedAt: AT,
  lastSeenAt: AT,
  isAlive: true,
  isSelf: false,
  ...change,
})

/** The lines about nodes, for a service with these nodes. */
function nodeLines(nodes: Nodes): string[] {
  const system: System = {
    version: '1.2.3',
    node: '24.0.0',
    backend: 'cluster',
    dataDir: null,
    time: AT,
    startedAt: AT,
    callsPort: null,
    uptimeMs: 1_000,
    status: 'ok',
    checks: {},
    checkedAt: AT,
    nodes,
    failingWorkers: [],
    corruptions: null,
    storage: {
      usedBytes: 0,
      databaseBytes: 0,
      logBytes: 0,
      freeBytes: null,
      events: 0,
      isExact: true,
      oldestEventAt: null,
      retentionMs: 1_000,
      retentionMaxBytes: null,
    },
    backlog: {
      undecided: BEHIND,
      notInProfiles: null,
      pending: 0,
      held: 0,
      oldestPendingAt: null,
      oldestPendingAgeMs: null,
      quarantined: 0,
      openReplays: 0,
      openDeletions: 0,
    },
    live: { open: 0, max: 100 },
    lastBackupAt: null,
    settings: [],
  }
  const text = systemText(new Output({ json: false }), system, { areAllShown: false })
  return text.split('\n').filter((line) => line.startsWith('node '))
}

test('prints a line per node with its role, and whether it sent the response or is down', () => {
  const lines = nodeLines([
    node('0123456789-a', { isSelf: true }),
    node('abcdefghij-b', { role: 'ingest', version: '1.2.2' }),
    node('zzzzzzzzzz-c', { isAlive: false }),
  ])
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/01234567 1\.2\.3, started .+, sent this response$/)
  expect(lines[1]).toMatch(/abcdefgh ingest 1\.2\.2, started [^,]+$/)
  expect(lines[2]).toMatch(/zzzzzzzz 1\.2\.3, started .+, down, last seen /)
})

test('a single-process service has no node lines', () => {
  expect(nodeLines([node('0123456789-a', { isSelf: true })])).toEqual([])
})
