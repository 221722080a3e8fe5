import { Analytics } from '@hookline/client'

/** Sends calls of the past: `context.library` stays that of the library that made the call, if the call names one. */
export class HistoricalAnalytics extends Analytics {
  protected override withLibrary(context: object): object {
    return { ...super.withLibrary({}), ...context }
  }
}
