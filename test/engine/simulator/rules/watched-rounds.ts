import type { Destination } from '@hookline/protocol'
import {
  AttemptRounds,
  type AttemptRoundsOptions,
  type RoundResult,
} from '../../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { DeliveryTask } from '../../../../packages/server/src/delivery/lanes/lane.ts'

export interface RoundWatcher {
  roundBegins(task: DeliveryTask, destination: Destination): void
  roundEnds(task: DeliveryTask, result: RoundResult): void
}

/** The rounds of the engine, with someone who watches them begin and end. */
export class WatchedRounds extends AttemptRounds {
  readonly #watcher: RoundWatcher

  constructor(options: AttemptRoundsOptions, watcher: RoundWatcher) {
    super(options)
    this.#watcher = watcher
  }

  override async make(task: DeliveryTask, destination: Destination): Promise<RoundResult> {
    this.#watcher.roundBegins(task, destination)
    const result = await super.make(task, destination)
    this.#watcher.roundEnds(task, result)
    return result
  }
}
