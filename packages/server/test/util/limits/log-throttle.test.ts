import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { LogThrottle } from '../../../src/util/limits/log-throttle.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

test('any number of keys cause at most 100 log lines in an interval', () => {
  const clock = new ManualClock()
  const throttle = new LogThrottle(clock, 60_000)
  let lines = 0
  const linesOf = (prefix: string): number => {
    const before = lines
    for (let index = 0; index < 5_000; index++)
      throttle.count(`${prefix}${index}`, () => (lines += 1))
    return lines - before
  }
  expect(linesOf('a')).toBe(100)
  clock.advance(59_999)
  expect(linesOf('b')).toBe(0)
  clock.advance(1)
  expect(lines).toBe(200)
  expect(linesOf('c')).toBe(0)
})

test('a key beyond the limit of an interval reports its whole count in the next one', () => {
  const clock = new ManualClock()
  const throttle = new LogThrottle(clock, 60_000)
  const logged: number[] = []
  for (let key = 0; key < 100; key++) throttle.count(`key ${key}`, () => undefined)
  throttle.count('late', (count) => logged.push(count), 3)
  throttle.count('late', (count) => logged.push(count), 2)
  expect(logged).toEqual([])
  clock.advance(60_000)
  expect(logged).toEqual([5])
})

test('counts that were held back are logged after the interval, without a further event', () => {
  const clock = new ManualClock()
  const throttle = new LogThrottle(clock, 60_000)
  const logged: string[] = []
  for (let call = 1; call <= 40; call++)
    throttle.count('key', (count) => logged.push(`${count} until ${call}`))
  expect(logged).toEqual(['1 until 1'])
  clock.advance(60_000)
  expect(logged).toEqual(['1 until 1', '39 until 40'])
  clock.advance(600_000)
  expect(logged).toHaveLength(2)
})

test('counts that are held back do not keep the process alive', () => {
  const url = new URL('../../../src/util/', import.meta.url).href
  const program = `
    const { LogThrottle } = await import('${url}limits/log-throttle.ts')
    const { systemClock } = await import('${url}time/clock.ts')
    const throttle = new LogThrottle(systemClock, 3_600_000)
    for (let call = 0; call < 2; call++) throttle.count('key', (count) => console.log(count))`
  const options = ['--input-type=module', '--eval', program]
  expect(execFileSync(process.execPath, options, { encoding: 'utf8', timeout: 30_000 })).toBe('1\n')
})
