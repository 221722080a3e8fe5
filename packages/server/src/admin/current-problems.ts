import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { type ConditionName, CONDITIONS, SEVERITIES } from '../alerts/conditions.ts'
import { type CurrentProblem, currentProblems } from '../alerts/current-problems.ts'
import type { FactsCollector } from '../alerts/facts-collector.ts'
import type { Clock } from '../util/time/clock.ts'
import { includesRole } from './access/roles.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import { type ProcessFacts, recentReadiness } from './system.ts'

const condition = Schema.oneOf(
  Object.keys(CONDITIONS) as ConditionName[],
  'The name of the condition: see GET /alerts.',
)
const severity = Schema.oneOf(
  [...SEVERITIES],
  'data_loss: data was lost. failing: something is failing now. attention: something will fail, or is unusual.',
)

const operations = Schema.operationsTagged('Alerts')

const schema = {
  ...operations.viewer('listProblems', 'Lists the current problems, worst first'),
  isLongRead: true,
  description:
    'Each destination has at most one problem, with its causes. A destination that recovers is removed from the list within a minute. A problem with undelivered events is listed until they are replayed, but for at most a day if they expired, or an hour if they were rejected.',
  response: Schema.ok(
    'The problems.',
    Type.Object({
      data: Type.Array(
        Type.Object({
          key: Schema.text('Identifies the problem while it lasts.'),
          condition,
          severity,
          title: Type.String(),
          remedy: Type.String(),
          since: Schema.nullable(Schema.timeOf('When the problem began; null if unknown.')),
          count: Schema.nullable(
            Schema.integer(
              'The number of calls, deliveries, attempts or other items in the title; null if none are counted.',
            ),
          ),
          subject: Type.Object({
            kind: Schema.oneOf(
              ['service', 'source', 'destination', 'node'],
              'The subject of the problem.',
            ),
            id: Schema.text('Empty for the service, and for calls without a known source.'),
            name: Type.String(),
          }),
          sampleDeliveryId: Schema.nullable(
            Schema.text(
              'The latest delivery that failed for this reason and has a stored response; the latest one if none has a response.',
            ),
          ),
          causes: Type.Array(
            Type.Object({
              title: Type.String(),
              remedy: Schema.nullable(Schema.text('null if an earlier cause has the same remedy.')),
              url: Schema.nullable(
                Schema.text(
                  'The URL of the webhook; null if the cause is not about a single webhook.',
                ),
              ),
              condition,
              severity,
            }),
            { description: 'Worst first, with at least one.' },
          ),
          to: Schema.text('A path in the console.'),
        }),
      ),
      checkedAt: Schema.time,
    }),
  ),
}

interface ProblemDeps {
  readonly facts: Pick<FactsCollector, 'collect'>
  readonly system: Pick<ProcessFacts, 'readiness'>
  readonly clock: Clock
}

/** `/problems`: the current problems. */
export function addProblemsRoute(app: AdminApp, { facts, system, clock }: ProblemDeps): void {
  const readiness = recentReadiness(system.readiness, clock)

  app.get('/problems', { schema }, async ({ actor }) => {
    const [{ checks }, collected] = await Promise.all([readiness(), facts.collect()])
    const corruptions = includesRole(actor.role, 'admin')
      ? collected.corruptions
      : collected.corruptions.map(({ foundAt }) => ({ foundAt }))
    return {
      data: currentProblems({ ...collected, corruptions, checks }).map(presentProblem),
      checkedAt: formatTimestamp(collected.now),
    }
  })
}

function presentProblem({
  since,
  causes,
  failure,
  detail: _,
  url: _url,
  host: _host,
  label: _label,
  reason: _reason,
  details: _details,
  ...problem
}: CurrentProblem): object {
  return {
    ...problem,
    severity: CONDITIONS[problem.condition].severity,
    since: Schema.timeOrNull(since),
    sampleDeliveryId: failure?.sampleDeliveryId ?? null,
    causes: causes.map(({ title, remedy, url, condition: name }) => ({
      title,
      remedy,
      url,
      condition: name,
      severity: CONDITIONS[name].severity,
    })),
  }
}
