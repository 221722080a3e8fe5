import { describe, expect, it, test } from 'vitest'
import { comparisonIn, filterOf } from '../../src/options/routing-options.ts'

describe('--where', () => {
  test.each<[string, object]>([
    ['properties.revenue>=100', { property: 'revenue', op: '>=', value: 100 }],
    ['properties.revenue < 1.5', { property: 'revenue', op: '<', value: 1.5 }],
    ['properties.a.b=x y', { property: 'a.b', op: 'equals', value: 'x y' }],
    ['traits.plan!=free', { trait: 'plan', op: 'not_equals', value: 'free' }],
    ['traits.vip == true', { trait: 'vip', op: 'equals', value: true }],
    ['traits.zip="01"', { trait: 'zip', op: 'equals', value: '01' }],
    ['context.page.path starts_with /a', { context: 'page.path', op: 'starts_with', value: '/a' }],
    ['userId=123', { field: 'userId', op: 'equals', value: '123' }],
    ['context.ip exists', { context: 'ip', op: 'exists' }],
    ['userId one_of ["a", "b"]', { field: 'userId', op: 'one_of', value: ['a', 'b'] }],
  ])('reads %s', (text, comparison) => {
    expect(comparisonIn(text)).toEqual(comparison)
  })

  test.each([
    '',
    'revenue>=100',
    'properties.revenue',
    'properties.revenue ~ 1',
    'other.x=1',
    '=1',
  ])('refuses %j, and shows what to use', (text) => {
    expect(() => comparisonIn(text)).toThrow('--where is not a valid comparison')
  })
})

describe('the filter from --only, --event and --where', () => {
  const where = [comparisonIn('properties.revenue>=100'), comparisonIn('traits.plan=pro')]

  it('selects track calls if only an event is named', async () => {
    expect(await filterOf({ event: ['Order *'] })).toEqual({ event: 'Order *' })
    expect(await filterOf({ event: ['A', 'B'] })).toEqual({ event: ['A', 'B'] })
  })

  it('compares properties only in calls that have them', async () => {
    expect(await filterOf({ only: ['track', 'identify'], event: ['Order *'], where })).toEqual({
      or: [
        { event: 'Order *', where },
        { type: 'identify', where: [where[1]] },
      ],
    })
  })

  it('without --only and --event, compares every call', async () => {
    expect(await filterOf({ where })).toEqual({ where })
  })

  it('is null for --no-filter, and undefined without these options', async () => {
    expect(await filterOf({ filter: false })).toBeNull()
    expect(await filterOf({})).toBeUndefined()
  })

  it('refuses options that no call could match', async () => {
    await expect(filterOf({ only: ['page'], event: ['A'] })).rejects.toThrow('must include track')
    await expect(filterOf({ only: ['alias'], where })).rejects.toThrow('do not have')
  })

  it('conflicts with --filter', async () => {
    await expect(filterOf({ filter: 'x.json', event: ['A'] })).rejects.toThrow(
      '--filter and --no-filter conflict',
    )
  })
})
