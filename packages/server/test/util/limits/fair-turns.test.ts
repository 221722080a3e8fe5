import { expect, test } from 'vitest'
import { type Client, FairTurns } from '../../../src/util/limits/fair-turns.ts'

const token = (id: string): Client => ({ id, tokenId: id })
const session = (id: string, tokenId: string): Client => ({ id, tokenId })

/** Turns whose order a test can observe. */
class Observed {
  readonly started: string[] = []
  readonly #turns: FairTurns
  readonly #running: Client[] = []

  constructor(limit: number) {
    this.#turns = new FairTurns(limit)
  }

  ask(client: Client, name = client.id, isWanted = () => true): void {
    const start = (): void => {
      this.started.push(name)
      this.#running.push(client)
    }
    this.#turns.take({ client, isWanted, start })
  }

  waitingOf(client: Client): number {
    return this.#turns.waitingOf(client).own
  }

  /** Ends the oldest running turn. */
  endOne(): void {
    this.#turns.end(this.#running.shift()!)
  }

  /** Who got turns since the last call. */
  taken(): string[] {
    return this.started.splice(0)
  }
}

test('as many turns as allowed run at once, and the others in order', () => {
  const turns = new Observed(2)
  for (const name of ['1', '2', '3', '4']) turns.ask(token('a'), name)
  expect(turns.taken()).toEqual(['1', '2'])
  expect(turns.waitingOf(token('a'))).toBe(2)
  turns.endOne()
  turns.endOne()
  expect(turns.taken()).toEqual(['3', '4'])
  expect(turns.waitingOf(token('a'))).toBe(0)
})

test('a single request waits for at most one turn of each busy client', () => {
  const turns = new Observed(2)
  for (let index = 0; index < 400; index++) {
    turns.ask(token('a'))
    turns.ask(token('b'))
  }
  turns.taken()
  turns.ask(token('c'))
  turns.endOne()
  turns.endOne()
  turns.endOne()
  expect(turns.taken()).toContain('c')
})

test('the token with the fewest current turns is next', () => {
  const turns = new Observed(2)
  for (let index = 0; index < 4; index++) turns.ask(token('greedy'))
  for (let index = 0; index < 2; index++) turns.ask(token('modest'))
  turns.endOne()
  expect(turns.taken()).toEqual(['greedy', 'greedy', 'modest'])
})

test('all sessions of a token together get the same share of turns as another token', () => {
  const turns = new Observed(1)
  turns.ask(session('s0', 'greedy'))
  for (let index = 1; index < 100; index++) turns.ask(session(`s${index}`, 'greedy'))
  turns.ask(token('modest'))
  turns.ask(token('modest'))
  for (let index = 0; index < 4; index++) turns.endOne()
  expect(turns.taken()).toEqual(['s0', 's1', 'modest', 's2', 'modest'])
})

test('sessions of one token take turns', () => {
  const turns = new Observed(1)
  for (const name of ['1', '2', '3']) turns.ask(session('a', 'operator'), `a${name}`)
  turns.ask(session('b', 'operator'), 'b1')
  for (let index = 0; index < 3; index++) turns.endOne()
  expect(turns.taken()).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('a cancelled request uses no turn', () => {
  const turns = new Observed(1)
  let isWanted = true
  turns.ask(token('a'), 'runs')
  for (let index = 0; index < 1_000; index++) turns.ask(token('a'), 'gone', () => isWanted)
  turns.ask(token('a'), 'waits')
  isWanted = false
  turns.endOne()
  expect(turns.taken()).toEqual(['runs', 'waits'])
  expect(turns.waitingOf(token('a'))).toBe(0)
})

test('the sessions of a token do not keep the token itself waiting', () => {
  const turns = new Observed(1)
  for (let index = 0; index < 20; index++)
    for (const id of ['s1', 's2']) turns.ask(session(id, 'operator'))
  for (let index = 0; index < 4; index++) turns.endOne()
  turns.taken()
  turns.ask(token('operator'))
  expect(turns.waitingOf(token('operator'))).toBe(1)
  for (let index = 0; index < 3; index++) turns.endOne()
  expect(turns.taken()).toContain('operator')
})

test('a cancelled request does not count as waiting', () => {
  const turns = new Observed(1)
  turns.ask(token('a'))
  turns.ask(token('a'), 'gone', () => false)
  expect(turns.waitingOf(token('a'))).toBe(0)
})
