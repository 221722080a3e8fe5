import { expect, onTestFinished, test } from 'vitest'
import type { ProblemDocument } from '../problem-document.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { LiveReader } from './live-reader.ts'

const UNREAD_MS = 5_000

async function opened(maxLiveStreams: number): Promise<AdminServer> {
  const server = await AdminServer.open({ maxLiveStreams })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function readerOf(server: AdminServer, token?: string): Promise<LiveReader> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const reader = await LiveReader.open(server, '', headers)
  onTestFinished(() => reader[Symbol.asyncDispose]())
  return reader
}

async function tokenOf(server: AdminServer, name: string): Promise<string> {
  const body = { name, role: 'viewer' }
  return (await server.must<{ token: string }>('POST', '/tokens', { body })).token
}

/** Signs a browser in. Returns its cookie. */
async function sessionOf(server: AdminServer, body: object): Promise<string> {
  const { headers } = await server.call('POST', '/sessions', { body, withoutToken: true })
  return headers.get('set-cookie')!.split(';')[0]!
}

async function browserReader(server: AdminServer, cookie: string): Promise<LiveReader> {
  const reader = await LiveReader.open(server, '', { cookie }, { withoutToken: true })
  onTestFinished(() => reader[Symbol.asyncDispose]())
  return reader
}

const refusal = (server: AdminServer) => server.call<ProblemDocument>('GET', '/live')

/**
 * Fills the buffers of unread connections with about 17 MB, more than two sockets can buffer. Each batch waits for the
 * healthy reader, because a reader overtaken by the ring would receive less.
 */
async function fill(server: AdminServer, healthy: LiveReader): Promise<void> {
  const long = 'x'.repeat(150)
  for (let batch = 0; batch < 10; batch += 1) {
    const events = Array.from({ length: 5_000 }, () => acceptedEvent({ userId: long }))
    server.live.received(events)
    await healthy.said(events.at(-1)!.id)
  }
}

test('a stream beyond the limit is refused with Retry-After if all others are being read', async () => {
  const server = await opened(2)
  const readers = [await readerOf(server), await readerOf(server)]
  for (const reader of readers) await reader.said('retry')
  server.clock.advance(UNREAD_MS)
  const { status, headers, body } = await refusal(server)
  expect(status).toBe(429)
  expect(headers.get('retry-after')).toBe('15')
  expect(body.detail).toContain('The live tail already has the maximum of 2 readers.')
})

test('an unread stream gives way to a new one after 5 seconds, and the others continue', async () => {
  const server = await opened(3)
  const unread = [await readerOf(server), await readerOf(server)]
  for (const reader of unread) {
    await reader.said('retry')
    reader.pause()
  }
  const healthy = await readerOf(server)
  await fill(server, healthy)
  server.clock.advance(UNREAD_MS - 1)
  expect((await refusal(server)).status).toBe(429)
  server.clock.advance(1)
  const newcomer = await readerOf(server)
  const event = acceptedEvent()
  server.live.received([event])
  for (const reader of [healthy, newcomer]) await reader.said(event.id)
})

test('a token with all streams gives way to another token until each has half', async () => {
  const server = await opened(4)
  const [greedy, modest] = [await tokenOf(server, 'greedy'), await tokenOf(server, 'modest')]
  const theirs: LiveReader[] = []
  for (let index = 0; index < 4; index++) theirs.push(await readerOf(server, greedy))
  for (let index = 0; index < 2; index++) await readerOf(server, modest)
  await theirs[0]!.ended()
  await theirs[1]!.ended()
  expect(theirs.slice(2).map(({ hasEnded }) => hasEnded)).toEqual([false, false])
  for (const token of [greedy, modest]) {
    const headers = { authorization: `Bearer ${token}` }
    expect((await server.call('GET', '/live', { headers })).status).toBe(429)
  }
})

test('a token with many sessions gives way to another token and its sessions', async () => {
  const server = await opened(4)
  const greedy = await tokenOf(server, 'greedy')
  const cookies: string[] = []
  for (let index = 0; index < 4; index++) {
    cookies.push(await sessionOf(server, { token: greedy }))
  }
  const theirs: LiveReader[] = []
  for (const cookie of cookies) theirs.push(await browserReader(server, cookie))
  await readerOf(server)
  await theirs[0]!.ended()
  const { path } = await server.must<{ path: string }>('POST', '/sign-in-links', { body: {} })
  const guest = await sessionOf(server, { code: path.split('#')[1]! })
  const ofGuest = await browserReader(server, guest)
  await theirs[1]!.ended()
  expect([...theirs.slice(2), ofGuest].map(({ hasEnded }) => hasEnded)).toEqual(
    Array(3).fill(false),
  )
})

test('a session from a sign-in link cannot block its token from the live tail', async () => {
  const server = await opened(3)
  const { path } = await server.must<{ path: string }>('POST', '/sign-in-links', { body: {} })
  const guest = await sessionOf(server, { code: path.split('#')[1]! })
  const theirs: LiveReader[] = []
  for (let index = 0; index < 3; index++) theirs.push(await browserReader(server, guest))
  await readerOf(server)
  await theirs[0]!.ended()
  expect(theirs.slice(1).map(({ hasEnded }) => hasEnded)).toEqual([false, false])
})
