import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { FAILURE_SCHEMAS, presentFailure } from './failure-schema.ts'

/** `/deliveries/failures`: what goes wrong, and what to do about it. */
export function addFailureRoutes(app: AdminApp, { reports }: AdminDeps): void {
  app.get('/deliveries/failures', { schema: FAILURE_SCHEMAS.list }, async ({ query }) => {
    const { groups, isComplete } = await reports.failures(query)
    return { data: groups.map(presentFailure), isComplete }
  })
}
