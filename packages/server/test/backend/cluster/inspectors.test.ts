import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import {
  type ResponseConfig,
  DEFAULT_RESPONSES,
  RequestStore,
} from '../../../src/inspector/inspector.ts'
import type { InspectedRequest } from '../../../src/inspector/inspected-request.ts'
import { SharedInspector } from '../../../src/inspector/shared-inspector.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { anInspectedRequest } from '../../inspector/an-inspected-request.ts'
import { openNodes, type OpenNodes, untilConnected } from './open-nodes.ts'

/** The inspector of a node without its server: tests add the requests. */
class NodeInspector {
  readonly requests = new RequestStore()
  responses: ResponseConfig = DEFAULT_RESPONSES
  readonly shared: SharedInspector

  constructor({ signals }: Backend) {
    this.shared = new SharedInspector({ inspector: this, signals })
  }
}

const idsOf = (requests: readonly Pick<InspectedRequest, 'id'>[]): string[] =>
  requests.map(({ id }) => id)

describe.skipIf(clusterSkipReason() !== undefined)('the inspector of a cluster', () => {
  let opened: OpenNodes
  let inspectors: readonly NodeInspector[]

  beforeAll(async () => {
    opened = await openNodes(2)
    await untilConnected(opened.nodes)
    inspectors = opened.nodes.map((node) => new NodeInspector(node))
  })

  afterAll(() => opened[Symbol.asyncDispose]())

  test('lists the requests from all nodes, newest first, in pages without gaps', async () => {
    const requests = Array.from({ length: 7 }, (_, number) =>
      anInspectedRequest({}, { receivedAt: NOON + number }),
    )
    for (const [number, request] of requests.entries())
      inspectors[number % 2]!.requests.add(request)
    const listed: string[] = []
    let cursor: string | null = null
    do {
      const node = inspectors[listed.length % 2]!.shared
      const page = await node.list({}, cursor === null ? { limit: 3 } : { limit: 3, cursor })
      listed.push(...idsOf(page.data))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(listed).toEqual(idsOf(requests.toReversed()))
    expect(await inspectors[0]!.shared.counts()).toMatchObject({ stored: 7, received: 7 })
  })

  test('finds a complete request from another node, and nothing for an unknown id', async () => {
    const body = JSON.stringify({ type: 'track', event: 'ä'.repeat(300_000) })
    const request = anInspectedRequest(body, { headers: [['X-A', '1']] })
    inspectors[1]!.requests.add(request)
    expect(await inspectors[0]!.shared.find(request.id)).toEqual(request)
    expect(await inspectors[0]!.shared.find('req_none')).toBeUndefined()
  })

  test('has the same responses on every node, including one that starts later', async () => {
    const responses = { status: 503, delayMs: 10, failFirst: 2 }
    await inspectors[0]!.shared.respond(responses)
    expect(inspectors.map((each) => each.responses)).toEqual([responses, responses])
    const third = await opened.add()
    const later = new NodeInspector(third)
    await expect.poll(() => later.responses).toEqual(responses)
    await third[Symbol.asyncDispose]()
  })

  test('is cleared on every node', async () => {
    for (const { requests } of inspectors) requests.clear()
    for (const { requests } of inspectors) requests.add(anInspectedRequest())
    expect(await inspectors[0]!.shared.clear()).toBe(2)
    expect(inspectors.map(({ requests }) => requests.counts.stored)).toEqual([0, 0])
  })
})
