import type { RunningService } from './running-service.ts'

/**
 * Restarts the service, after which the final check no longer compares accepted calls with events: it would report deleted
 * events as missing.
 */
export async function skipCallCheck(service: RunningService): Promise<void> {
  await service.restart()
}
