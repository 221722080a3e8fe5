import type { FastifyInstance } from 'fastify'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'

let server: FastifyInstance
let handled: string[]
let release: () => void

async function listen(maxPipelinedRequests: number): Promise<Socket> {
  const config = parseConfig({}, { maxPipelinedRequests: `${maxPipelinedRequests}` })
  const released = Promise.withResolvers<void>()
  release = released.resolve
  handled = []
  server = createHttpServer({ config, logger: undefined })
  server.get<{ Params: { id: string } }>('/waiting/:id', async ({ params }) => {
    handled.push(params.id)
    await released.promise
    return params
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  return connect((server.server.address() as AddressInfo).port, '127.0.0.1')
}

afterEach(() => server.close())

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`
const closing = (path: string): string =>
  get(path).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

async function textUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A connection may end with a reset.
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.on('close', resolve))
  return Buffer.concat(chunks).toString()
}

const bodiesIn = (text: string): string[] => text.match(/\{.*\}/g) ?? []

test('requests on one connection are handled sequentially, and answered in order', async () => {
  const socket = await listen(10)
  const text = textUntilClosed(socket)
  socket.write(get('/waiting/1') + get('/%E0%A4%A') + get('/nowhere') + get('/waiting/2'))
  socket.write(closing('/waiting/3'))
  await expect.poll(() => handled).toEqual(['1'])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(handled).toEqual(['1'])
  release()
  expect(bodiesIn(await text)).toEqual([
    '{"id":"1"}',
    expect.stringContaining('bad_request'),
    expect.stringContaining('not_found'),
    '{"id":"2"}',
    '{"id":"3"}',
  ])
})

test('the body of a request is read when its turn comes', async () => {
  const socket = await listen(10)
  const text = textUntilClosed(socket)
  const body = JSON.stringify({ padding: 'x'.repeat(200_000) })
  const head = ['POST /nowhere HTTP/1.1', 'Host: test', `Content-Length: ${body.length}`]
  socket.write(`${get('/waiting/1')}${head.join('\r\n')}\r\n\r\n${body}${closing('/waiting/2')}`)
  await expect.poll(() => handled).toEqual(['1'])
  release()
  expect(bodiesIn(await text)).toEqual([
    '{"id":"1"}',
    expect.stringContaining('not_found'),
    '{"id":"2"}',
  ])
})

test('a connection with more waiting requests than maxPipelinedRequests is closed', async () => {
  const socket = await listen(2)
  const text = textUntilClosed(socket)
  socket.write(get('/waiting/1') + get('/waiting/2') + get('/waiting/3') + get('/waiting/4'))
  expect(await text).toBe('')
  expect(handled).toEqual(['1'])
})

test('a connection with maxPipelinedRequests waiting requests is served', async () => {
  const socket = await listen(2)
  const text = textUntilClosed(socket)
  socket.write(get('/waiting/1') + get('/waiting/2') + closing('/waiting/3'))
  await expect.poll(() => handled).toEqual(['1'])
  release()
  expect(bodiesIn(await text)).toHaveLength(3)
})

test('nothing is read from a connection while requests wait', async () => {
  // Far more requests than one read from the connection returns.
  const requests = 20_000
  const socket = await listen(5_000)
  const text = textUntilClosed(socket)
  socket.write(get('/waiting/1').repeat(requests - 1) + closing('/waiting/1'))
  await expect.poll(() => handled).toEqual(['1'])
  release()
  expect(bodiesIn(await text)).toHaveLength(requests)
})
