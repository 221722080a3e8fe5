import type { Evaluated, Evaluations } from '../evaluations.ts'
import { blockOf } from './log/event-block.ts'
import type { SqliteLog } from './log/sqlite-log.ts'
import { eventsOf } from './write-announcements.ts'
import type { Writer } from './writer.ts'

/** How evaluations are stored together with the events that announce them, which `log` hands out then. */
export function announcementsIn(
  writer: Writer,
  log: SqliteLog,
): Pick<Evaluations, 'commit' | 'tell'> {
  return {
    async commit(evaluated) {
      let stored: readonly Evaluated[] = []
      await writer.runWith('commitEvaluations', evaluated, {
        onCommitted: ({ places, appended }) => {
          stored = places.map((place) => evaluated[place]!)
          log.appended({ events: eventsOf(stored), ...appended })
        },
      })
      return stored
    },
    async tell(events, purges) {
      const told = await writer.runWith(
        'appendTold',
        { block: blockOf(events), purges },
        {
          onCommitted: (appended) => {
            if (appended !== undefined) log.appended({ events, ...appended })
          },
        },
      )
      return told !== undefined
    },
  }
}
