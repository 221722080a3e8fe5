import { expect, test } from 'vitest'
import { inRounds } from '../../src/stream/in-rounds.ts'

interface Step {
  readonly name: string
  readonly end: () => void
  readonly fail: (error: Error) => void
}

/** Work and pauses that end when the test ends them, in the order in which they began. */
function stepwise() {
  const steps: Step[] = []
  const step = (name: string): Promise<void> =>
    new Promise((resolve, reject) => steps.push({ name, end: resolve, fail: reject }))
  const notify = inRounds(
    (items: ReadonlySet<string>) => step([...items].join(' ')),
    () => step('pause'),
  )
  const names = (): string[] => steps.map(({ name }) => name)
  return { steps, names, notify }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('the first change is processed immediately, and hundreds of further changes in one round', async () => {
  const { steps, names, notify } = stepwise()
  notify(['sources'])
  for (let index = 0; index < 500; index += 1) notify(index % 2 === 0 ? ['sources'] : ['tokens'])
  await settled()
  expect(names()).toEqual(['sources', 'pause'])
  for (const { end } of steps) end()
  await settled()
  expect(names().slice(2)).toEqual(['sources tokens', 'pause'])
  for (const { end } of steps) end()
  await settled()
  expect(steps.length).toBe(4)
})

test('a round begins after the previous work and the pause, and failing work does not stop the rounds', async () => {
  const { steps, names, notify } = stepwise()
  notify(['sources'])
  notify(['tokens'])
  steps[1]!.end()
  await settled()
  expect(names()).toEqual(['sources', 'pause'])
  steps[0]!.fail(new Error('the service is unreachable'))
  await settled()
  expect(names().slice(2)).toEqual(['tokens', 'pause'])
  for (const { end } of steps) end()
  await settled()
  notify(['audiences'])
  await settled()
  expect(names().slice(4)).toEqual(['audiences', 'pause'])
})
