import { expect, test } from 'vitest'
import { pathOf, valueAt } from '../src/index.ts'

test.for<[string, string[]]>([
  ['plan', ['plan']],
  ['address.city', ['address', 'city']],
  [String.raw`utm\.source`, ['utm.source']],
  [String.raw`a\.b.c`, ['a.b', 'c']],
])('the path %s has the steps %j', ([text, steps]) => {
  expect(pathOf(text)).toEqual(steps)
})

test.for<[string, unknown]>([
  ['plan', 'pro'],
  ['address.city', 'Bonn'],
  ['address', { city: 'Bonn', zip: null }],
  ['address.zip', null],
  ['address.street', undefined],
  ['plan.length', undefined],
  ['tags.0', undefined],
  ['tags.length', undefined],
  ['nothing.at.all', undefined],
  ['toString', undefined],
  ['__proto__', undefined],
  ['__proto__.toString', undefined],
  ['constructor.name', undefined],
])('the value at the path %s is %j', ([path, value]) => {
  const traits = { plan: 'pro', address: { city: 'Bonn', zip: null }, tags: ['a'] }
  expect(valueAt(traits, pathOf(path))).toEqual(value)
})
