import { expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Entry {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly [field: string]: unknown
}

interface Document {
  readonly sources: readonly Entry[]
  readonly destinations: readonly Entry[]
  readonly audiences: readonly Entry[]
  readonly traits: readonly Entry[]
}

const COMPUTE = { fn: 'count', event: 'Order Completed', within: { days: 30 } }

/** A service with a space, a computed trait, and two audiences: a manual one, and one that refers to it and to the trait. */
async function configured(server: AdminServer) {
  const make = async (path: string, body: object): Promise<string> => {
    // Ids sort by creation time.
    server.clock.advance(1)
    return (await server.must<{ id: string }>('POST', path, { body })).id
  }
  const source = await make('/sources', { name: 'shop', space: 'shop' })
  const settings = { webhookUrl: 'https://a.example' }
  const destination = await make('/destinations', { sourceId: source, type: 'Webhooks', settings })
  const common = { space: 'shop', destinationIds: [destination] }
  const trait = await make('/traits', { ...common, name: 'Orders 30d', compute: COMPUTE })
  const manual = await make('/audiences', { ...common, name: 'Team', manual: true })
  const condition = {
    and: [{ computedTrait: 'orders_30d', op: '>', value: 3 }, { not: { audience: manual } }],
  }
  const audience = await make('/audiences', { ...common, name: 'Buyers', condition })
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  return { document, ids: { source, destination, trait, manual, audience } }
}

const importing = (server: AdminServer, body: unknown, query = '') =>
  server.must('PUT', `/import${query}`, { body })

const errorsOf = async (server: AdminServer, body: unknown): Promise<readonly string[]> => {
  const answer = await server.call<ProblemDocument>('PUT', '/import', { body })
  return [String(answer.status), ...errorsIn(answer.body)]
}

test('exported audiences, computed traits and spaces can be imported into another service', async () => {
  await using server = await AdminServer.open()
  const { document, ids } = await configured(server)
  expect(document.sources).toMatchObject([{ space: 'shop' }])
  await using other = await AdminServer.open()
  const created = [ids.source, ids.destination, ids.manual, ids.audience, ids.trait]
  expect(await importing(other, document, '?dryRun=true')).toMatchObject({ created })
  expect(other.backend.catalog.current.computations.size).toBe(0)
  expect(await importing(other, document)).toMatchObject({ created })
  expect(await other.must('GET', '/export?withSecrets=true')).toEqual(document)
  expect(await importing(other, document)).toMatchObject({ created: [], changed: [] })
})

test('a document without audiences and spaces does not change them', async () => {
  await using server = await AdminServer.open()
  const { document, ids } = await configured(server)
  const { audiences: _a, traits: _t, ...rest } = document
  const sources = rest.sources.map(({ space: _, ...source }) => source)
  expect(await importing(server, { ...rest, sources })).toEqual({
    dryRun: false,
    created: [],
    changed: [],
    unchanged: [ids.source, ids.destination],
    notInDocument: [ids.manual, ids.audience, ids.trait],
  })
  expect(await server.must('GET', '/export?withSecrets=true')).toEqual(document)
})

test('an imported change is stored', async () => {
  await using server = await AdminServer.open()
  const { document, ids } = await configured(server)
  const traits = [{ ...document.traits[0]!, compute: { ...COMPUTE, fn: 'sum', property: 'n' } }]
  const changed = [{ id: ids.trait, fields: ['compute'] }]
  expect(await importing(server, { ...document, traits })).toMatchObject({ changed })
  expect(await server.must('GET', `/traits/${ids.trait}`)).toMatchObject({
    compute: traits[0]!.compute,
    version: 2,
  })
})

test('errors in entries are reported with pointers, and nothing is imported', async () => {
  await using server = await AdminServer.open()
  const { document, ids } = await configured(server)
  const [manual, buyers] = document.audiences
  const invalid = { ...buyers!, condition: { trait: 'plan', op: 'is' } }
  expect(await errorsOf(server, { ...document, audiences: [manual, invalid] })).toEqual([
    '422',
    '/audiences/1/condition/op not_allowed',
  ])
  const misplaced = [
    { ...manual!, condition: { trait: 'plan', op: 'exists' }, key: 'other', destinationIds: ['x'] },
    { ...buyers!, condition: { audience: buyers!.id } },
    { ...buyers!, id: anotherId(ids.audience), space: 'none', key: 'New Key' },
  ]
  expect(await errorsOf(server, { ...document, audiences: misplaced })).toEqual([
    '422',
    '/audiences/0/key immutable',
    '/audiences/0/condition immutable',
    '/audiences/0/destinationIds/0 unknown_destination',
    '/audiences/1/condition/audience self_reference',
    '/audiences/2/space unknown_space',
    '/audiences/2/key invalid_format',
    '/audiences/2/condition/and/0/computedTrait other_space',
    '/audiences/2/condition/and/1/not/audience other_space',
  ])
  expect(await server.must('GET', '/export?withSecrets=true')).toEqual(document)
})

test('a cycle within the document is detected', async () => {
  await using server = await AdminServer.open()
  const { document, ids } = await configured(server)
  const [manual, buyers] = document.audiences
  const third = { ...buyers!, id: anotherId(ids.audience), key: 'third', name: 'Third' }
  const audiences = [
    manual,
    { ...buyers!, condition: { audience: third.id } },
    { ...third, condition: { audience: buyers!.id } },
  ]
  expect(await errorsOf(server, { ...document, audiences })).toEqual([
    '422',
    '/audiences/1/condition/audience cycle',
    '/audiences/2/condition/audience cycle',
  ])
})

function anotherId(id: string): string {
  return id.slice(0, -1) + (id.endsWith('0') ? '1' : '0')
}
