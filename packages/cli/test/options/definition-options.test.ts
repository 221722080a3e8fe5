import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import {
  definitionOf,
  type DefinitionOptions,
  withDefinitionOptions,
} from '../../src/options/definition-options.ts'

type Definition = 'condition' | 'compute'

function definition(kind: Definition, ...args: string[]) {
  const command = withDefinitionOptions(new Command().exitOverride(), kind)
  command.configureOutput({ writeErr: () => undefined }).parse(args, { from: 'user' })
  return definitionOf(command.opts<DefinitionOptions>(), kind)
}

describe('the condition from options', () => {
  test.each<[string[], object]>([
    [['--where', 'traits.plan=pro'], { trait: 'plan', op: 'equals', value: 'pro' }],
    [['--where', 'computedTraits.spent>=100'], { computedTrait: 'spent', op: '>=', value: 100 }],
    [['--event', 'Order'], { event: 'Order' }],
    [
      ['--event', 'Order', '--where', 'properties.total>100', '--count', '>= 2', '--within', '30d'],
      {
        event: 'Order',
        where: [{ property: 'total', op: '>', value: 100 }],
        count: { op: '>=', n: 2 },
        within: { days: 30 },
      },
    ],
    [
      ['--where', 'traits.plan=pro', '--event', 'Order', '--count', '=0', '--within', '90m'],
      {
        and: [
          { event: 'Order', count: { op: '==', n: 0 }, within: { minutes: 90 } },
          { trait: 'plan', op: 'equals', value: 'pro' },
        ],
      },
    ],
  ])('for %j is %j', async (args, condition) => {
    expect(await definition('condition', ...args)).toEqual(condition)
  })

  test('is undefined without them', async () => {
    expect(await definition('condition')).toBeUndefined()
  })

  test.each([
    [['--where', 'properties.total>100'], '--where with properties requires --event'],
    [['--count', '>1'], '--count requires --event'],
    [['--where', 'context.ip exists'], '--where is not a valid comparison'],
    [['--where', 'userId=u1'], '--where is not a valid comparison'],
    [['--event', 'A', '--event', 'B'], 'Only one --event'],
    [['--event', 'A', '--count', '2'], 'Use a comparison'],
    [['--event', 'A', '--within', '1500ms'], 'Use a duration'],
    [['--condition', 'x.json', '--event', 'A'], '--condition cannot be combined with'],
  ])('refuses %j', async (args, message) => {
    await expect(async () => definition('condition', ...args)).rejects.toThrow(message)
  })
})

describe('the computation from options', () => {
  test('has a function, an event, a property, comparisons and a window', async () => {
    const args = ['--fn', 'sum', '--event', 'Order', '--property', 'properties.total']
    expect(
      await definition('compute', ...args, '--where', 'properties.paid=true', '--within', '12h'),
    ).toEqual({
      fn: 'sum',
      event: 'Order',
      property: 'total',
      where: [{ property: 'paid', op: 'equals', value: true }],
      within: { hours: 12 },
    })
    expect(await definition('compute', '--fn', 'count', '--event', 'Order')).toEqual({
      fn: 'count',
      event: 'Order',
    })
  })

  test.each([
    [['--fn', 'sum'], '--fn requires --event'],
    [['--event', 'Order'], 'needs --fn'],
    [['--fn', 'total', '--event', 'Order'], 'Allowed choices'],
    [['--fn', 'sum', '--event', 'Order', '--property', 'total'], 'properties.total'],
    [['--event', 'Order', '--where', 'traits.plan=pro'], '--where is not a valid comparison'],
  ])('refuses %j', async (args, message) => {
    await expect(async () => definition('compute', ...args)).rejects.toThrow(message)
  })
})
