import type { AcceptedEvent } from '@hookline/protocol'
import { textOf } from '../../../src/backend/accepted-event.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Page, PageRequest } from '../../../src/backend/page.ts'
import { ODD_IDS } from './filled-folder.ts'

/** All data that the ports return. */
export async function snapshotOf(backend: Backend): Promise<Readonly<Record<string, unknown>>> {
  const { catalog, keyUses, tokens, deletions, suppressions, memberships, profiles } = backend
  const { sources, destinations, computations } = catalog.current
  const all = async <T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> => {
    const items: T[] = []
    let cursor: string | null | undefined
    do {
      const page = await list({ limit: 100, ...(cursor && { cursor }) })
      items.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== null)
    return items
  }
  const events = await all((page) => backend.events.list({}, page))
  const requests = await all((page) => deletions.list({}, page))
  const ofComputations = [...computations.keys()].toSorted().map(async (id) => ({
    id,
    members: await all((page) => memberships.list(id, page)),
    listed: await all((page) => memberships.listed(id, page)),
    announced: await memberships.announced(id, '', 200),
    syncs: await all((page) => backend.syncs.list(id, page)),
  }))
  const counts = []
  for await (const rows of backend.statistics.read({ span: 'hour', from: 0, to: 1e14 }))
    counts.push(...rows)
  const users = ['u1', 'u2', 'u5', 'gone', 'nobody', ...Object.values(ODD_IDS)]
  return {
    sources: byId(sources),
    destinations: byId(destinations),
    computations: byId(computations),
    keyUses: [...sources.values()].flatMap(({ writeKeys }) =>
      writeKeys.map(({ key }) => keyUses.lastUsedAt(key)),
    ),
    eventNames: await all((page) => backend.eventNames.list({}, page)),
    alertStates: await backend.alertStates.all(),
    tokens: byId(tokens.current),
    audit: await all((page) => backend.audit.list({}, page)),
    // By id, because one engine lists them in the order of the log, the other by time.
    events: events
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ duplicates, lastDuplicateAt, declined, outcomes, ...event }) => ({
        ...shownEvent(event),
        duplicates,
        lastDuplicateAt,
        declined,
        outcomes,
      })),
    deliveries: await all((page) => backend.deliveries.list({}, page)),
    failures: await backend.reports.failures({}),
    deletions: requests,
    deletedIds: await Promise.all(
      requests.map(({ id }) => deletions.ids(id, 'user', { after: '', limit: 9 })),
    ),
    notices: await Promise.all(
      requests.map(({ id }) => all((page) => backend.notices.list(id, page))),
    ),
    progress: await Promise.all(requests.map(({ id }) => backend.notices.progress(id))),
    suppressions: await all((page) => suppressions.list({}, page)),
    replays: await all((page) => backend.replays.list({}, page)),
    computed: await Promise.all(ofComputations),
    sizes: Object.fromEntries(await memberships.sizes()),
    profiles: await Promise.all(users.map((user) => profiles.find('default', user))),
    profileCount: await profiles.count('default'),
    profilesState: await profiles.state(),
    clauses: await backend.facts.clauses(),
    backlog: await backend.upkeep.backlog(),
    noticeBacklog: await backend.noticeQueue.backlog(),
    statistics: counts.map((row) => JSON.stringify(row)).toSorted(),
    receiptKey: await backend.ownKeys.keyOf('receipts', () => 'none'),
  }
}

function shownEvent(event: AcceptedEvent): object {
  const { id, sourceId, type, messageId, userId, previousId, receivedAt, warnings, rest, body } =
    event
  return {
    id,
    sourceId,
    type,
    messageId,
    userId,
    previousId,
    receivedAt,
    warnings,
    rest,
    body: textOf(body),
  }
}

function byId<T extends { readonly id: string }>(all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
