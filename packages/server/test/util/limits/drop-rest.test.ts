import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { BodyTurns } from '../../../src/util/limits/body-turns.ts'
import { dropRest } from '../../../src/util/limits/drop-rest.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const MIB = 1024 * 1024

test('bodies that are dropped close their connections beyond 4 MB in a turn of the event loop, or 16 MB of one', async () => {
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
