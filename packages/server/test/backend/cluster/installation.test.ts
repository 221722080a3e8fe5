import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type ClusterOptions, openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { StreamMismatchError } from '../../../src/backend/cluster/jetstream/log-stream.ts'
import { NatsLink } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import {
  clusterSkipReason,
  type ClusterNamespace,
  newClusterNamespace,
} from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { consumeAll } from './consume-all.ts'

const encryptionKey = new Redacted(SecretBox.newKey())

function optionsOf(place: ClusterNamespace, natsPrefix = place.natsPrefix): ClusterOptions {
  const databaseUrl = new Redacted(place.databaseUrl)
  return { databaseUrl, natsUrl: new Redacted(place.natsUrl), natsPrefix, encryptionKey }
}

/** The error message that refuses a node. */
async function refusal(options: ClusterOptions): Promise<string> {
  const error = await openClusterBackend(options).then(
    () => new Error('The node was not refused.'),
    (reason: Error) => reason,
  )
  expect(error).toBeInstanceOf(StreamMismatchError)
  return error.message
}

async function queryAt({ databaseUrl }: ClusterNamespace, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

async function idOf(place: ClusterNamespace): Promise<string> {
  const [row] = await queryAt(place, 'SELECT id FROM hookline.installation')
  return (row as { id: string }).id
}

describe.skipIf(clusterSkipReason() !== undefined)('an installation', () => {
  test('refuses the stream of another installation on the same NATS servers, and names both', async () => {
    await using first = await newClusterNamespace('empty')
    await using second = await newClusterNamespace('empty')
    await using node = await openClusterBackend(optionsOf(first))
    await using consuming = consumeAll(node.log)
    const message = await refusal(optionsOf(second, first.natsPrefix))
    expect(message).toContain(
      `belongs to installation ${await idOf(first)}, and the database to installation ${await idOf(second)}`,
    )
    expect(message).toContain('HOOKLINE_NATS_PREFIX')
    const events = Array.from({ length: 40 }, () => acceptedEvent())
    for (const event of events) await node.log.append([event])
    await expect.poll(() => consuming.ids).toHaveLength(events.length)
  })

  test('shares NATS servers with an installation that has another prefix', async () => {
    await using first = await newClusterNamespace('empty')
    await using second = await newClusterNamespace('empty')
    await using one = await openClusterBackend(optionsOf(first))
    await using other = await openClusterBackend(optionsOf(second))
    for (const { log } of [one, other]) {
      const event = acceptedEvent()
      await using consuming = consumeAll(log)
      await log.append([event])
      await expect.poll(() => consuming.ids).toEqual([event.id])
    }
  })

  test('has one id and one stream when its first nodes start together', async () => {
    await using place = await newClusterNamespace('empty')
    const nodes = await Promise.all([1, 2, 3].map(() => openClusterBackend(optionsOf(place))))
    expect(await queryAt(place, 'SELECT stream, servers FROM hookline.installation')).toEqual([
      { stream: `${place.natsPrefix}_log`, servers: new URL(place.natsUrl).host },
    ])
    for (const node of nodes) await node[Symbol.asyncDispose]()
  })

  test('refuses a node with another prefix', async () => {
    await using place = await newClusterNamespace()
    await using _node = await openClusterBackend(optionsOf(place))
    const message = await refusal(optionsOf(place, `${place.natsPrefix}_other`))
    expect(message).toContain(`is the stream ${place.natsPrefix}_log on the NATS servers`)
    expect(message).toContain(`specifies the stream ${place.natsPrefix}_other_log`)
    expect(message).toContain(`Set HOOKLINE_NATS_PREFIX to ${place.natsPrefix},`)
  })

  test('refuses a node on other NATS servers until the old stream is abandoned, and creates no stream there', async () => {
    await using place = await newClusterNamespace()
    await using nats = await NatsServer.start()
    const natsUrl = new Redacted(nats.url.replace('nats://', 'nats://hookline:secret@'))
    const moved = { ...optionsOf(place), natsUrl }
    await (await openClusterBackend(optionsOf(place)))[Symbol.asyncDispose]()
    const message = await refusal(moved)
    expect(message).toContain(`on the NATS servers ${new URL(place.natsUrl).host}, but`)
    expect(message).toContain(`${new URL(nats.url).host} has no such stream`)
    expect(message).not.toContain('secret')
    await using link = await NatsLink.open({ url: natsUrl })
    expect(await link.manager.streams.names().next()).toEqual([])
    // As described in docs/guides/cluster.md.
    await queryAt(
      place,
      'UPDATE hookline.installation SET id = gen_random_uuid(), stream = NULL, servers = NULL',
    )
    await using node = await openClusterBackend(moved)
    await node.log.append([acceptedEvent()])
  })
})
