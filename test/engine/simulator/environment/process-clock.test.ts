import { expect, test } from 'vitest'
import { ProcessClock } from './process-clock.ts'
import { waitForTurns, VirtualClock } from './virtual-clock.ts'

test('a process that is killed while it waits for a turn or a timer does not continue', async () => {
  const simulation = new VirtualClock()
  const killed = new ProcessClock(simulation)
  const other = new ProcessClock(simulation)
  const went: string[] = []
  void killed.turn().then(() => went.push('turn of the killed process'))
  killed.after(0, () => went.push('timer of the killed process'))
  void other.turn().then(() => went.push('turn of the other process'))
  killed.kill()
  simulation.step(Infinity)
  await waitForTurns()
  expect(went).toEqual(['turn of the other process'])
})
