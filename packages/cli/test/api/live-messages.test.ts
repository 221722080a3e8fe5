import { expect, test } from 'vitest'
import { LiveMessages } from '../../src/api/live-messages.ts'

test('joins the data lines of a message', () => {
  const messages = new LiveMessages()
  expect(messages.take('id: 1\nevent: event\ndata: {\ndata: "a": 1}\n\n')).toEqual([
    { name: 'event', data: { a: 1 } },
  ])
})

test('after a broken connection, resumes after the last complete message', () => {
  const messages = new LiveMessages()
  messages.take('id: 1\nevent: event\ndata: {}\n\nid: 2\nevent: ev')
  messages.reset()
  expect(messages.lastId).toBe('1')
  expect(messages.take('id: 3\nevent: gap\ndata: {}\n\n')).toEqual([{ name: 'gap', data: {} }])
})
