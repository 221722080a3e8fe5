import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { BodyTurns, dropRest } from '../../../src/util/limits/body-turns.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const KIB = 1024

test('small bodies are parsed immediately, and large ones a few per tick, in order', async () => {
  const clock = new ManualClock()
  const turns = new BodyTurns(clock, 128 * KIB)
  const parsed: string[] = []
  const add = (name: string, bytes: number): void =>
    turns.run(() => {
      parsed.push(name)
      return bytes
    })
  add('small', 64 * KIB)
  add('large', 400 * KIB)
  expect(parsed).toEqual(['small', 'large'])
  expect(turns.isOpen).toBe(false)
  for (const name of ['a', 'b', 'c']) add(name, 100 * KIB)
  add('d', 1 * KIB)
  expect(parsed).toHaveLength(2)
  await clock.turn()
  expect(parsed.slice(2)).toEqual(['a', 'b'])
  await expect.poll(() => parsed.slice(4)).toEqual(['c', 'd'])
  await clock.turn()
  expect(turns.isOpen).toBe(true)
})

test('a request that exceeds the bytes per tick pauses until a later tick', async () => {
  const clock = new ManualClock()
  const turns = new BodyTurns(clock, 128 * KIB)
  const requests = Array.from({ length: 4 }, () => new IncomingMessage(new Socket()).resume())
  for (const request of requests) turns.read(request, Buffer.alloc(64 * KIB))
  const paused = () => requests.map((request) => request.isPaused())
  expect(paused()).toEqual([false, false, true, true])
  await expect.poll(paused).toEqual([false, false, false, false])
})

const MIB = 1024 * 1024

test('a request with a dropped body is disconnected beyond 4 MiB per tick or 16 MiB in total', async () => {
  const clock = new ManualClock()
  const turns = new BodyTurns(clock, 4 * MIB)
  const requests = Array.from({ length: 3 }, () => new IncomingMessage(new Socket()))
  const [first, second, last] = requests as [IncomingMessage, IncomingMessage, IncomingMessage]
  for (const request of requests) dropRest(request, turns, 16 * MIB)
  first.emit('data', Buffer.alloc(2 * MIB))
  second.emit('data', Buffer.alloc(2 * MIB))
  expect(requests.map(({ socket }) => socket.destroyed)).toEqual([false, false, false])
  second.emit('data', Buffer.alloc(1))
  expect(requests.map(({ socket }) => socket.destroyed)).toEqual([false, true, false])
  for (let mib = 0; mib < 16; mib += 4) {
    await clock.turn()
    last.emit('data', Buffer.alloc(4 * MIB))
  }
  expect(last.socket.destroyed).toBe(false)
  await clock.turn()
  last.emit('data', Buffer.alloc(1))
  expect(requests.map(({ socket }) => socket.destroyed)).toEqual([false, true, true])
})
