import { expect, test } from 'vitest'
import { AnnouncedReaders } from '../../../../src/backend/cluster/signals/announced-readers.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

function openReaders() {
  const clock = new ManualClock()
  const announced: (readonly string[])[] = []
  const subscribed = new Set<string>()
  const readers = new AnnouncedReaders({
    clock,
    announce: (topics) => announced.push(topics),
    subscribe: (topic) => {
      subscribed.add(topic)
      return () => subscribed.delete(topic)
    },
  })
  const received: string[] = []
  for (const topic of ['activity', 'counts'])
    readers.onRead(topic, (isRead) => received.push(`${topic} ${isRead}`))
  return { clock, announced, subscribed, readers, received }
}

test('a topic counts as read for 15 s after the last announcement from another node', () => {
  const { clock, readers, received } = openReaders()
  readers.announced('b', ['activity', 'counts'])
  clock.advance(10_000)
  readers.announced('b', ['activity'])
  clock.advance(14_999)
  expect(received).toEqual(['activity true', 'counts true', 'counts false'])
  expect(readers.isRead('activity')).toBe(true)
  clock.advance(1)
  expect(received.at(-1)).toBe('activity false')
  expect(readers.isRead('activity')).toBe(false)
})

test('a topic is read until the last of its reading nodes stops', () => {
  const { readers, received } = openReaders()
  readers.announced('b', ['activity'])
  readers.announced('c', ['activity'])
  readers.announced('b', [])
  expect(readers.isRead('activity')).toBe(true)
  readers.announced('c', [])
  expect(received).toEqual(['activity true', 'activity false'])
})

test('every 5 s, a node announces the topics it reads, and once more when none are left', () => {
  const { clock, announced, readers } = openReaders()
  clock.advance(60_000)
  readers.announce()
  expect(announced).toEqual([])
  const activity = readers.read('activity')
  const counts = readers.read('counts')
  clock.advance(5_000)
  expect(announced.splice(0)).toEqual([
    ['activity'],
    ['activity', 'counts'],
    ['activity', 'counts'],
  ])
  activity[Symbol.dispose]()
  activity[Symbol.dispose]()
  counts[Symbol.dispose]()
  clock.advance(60_000)
  expect(announced).toEqual([['counts'], []])
})

test('a node subscribes to a topic while it reads that topic', () => {
  const { subscribed, readers } = openReaders()
  const [first, second] = [readers.read('activity'), readers.read('activity')]
  first[Symbol.dispose]()
  expect([...subscribed]).toEqual(['activity'])
  second[Symbol.dispose]()
  expect([...subscribed]).toEqual([])
  readers.read('counts')
  expect([...subscribed]).toEqual(['counts'])
  readers[Symbol.dispose]()
  expect([...subscribed]).toEqual([])
})
