import type { ReactElement } from 'react'
import { Select } from '../../design/field.tsx'
import { PERIOD_CHOICES, periodOf } from '../../domain/periods.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { DestinationsPanel } from './destinations-panel.tsx'
import { Figures } from './figures.tsx'
import { OutcomesPanel } from './outcomes-panel.tsx'
import { ProblemsPanel } from './problems-panel.tsx'

/** How the service is, and what is wrong now. */
export function OverviewPage(): ReactElement {
  const [url, setUrl] = useUrlState<'period'>()
  const period = periodOf(url.period)
  return (
    <>
      <PageHeading
        title="Overview"
        actions={
          <Select
            aria-label="Period"
            options={PERIOD_CHOICES}
            value={period}
            onPick={(picked) => setUrl({ period: picked === '1h' ? undefined : picked })}
          />
        }
      />
      <div className="flex flex-col gap-4">
        <Figures period={period} />
        <ProblemsPanel />
        <OutcomesPanel period={period} />
        <DestinationsPanel period={period} />
      </div>
    </>
  )
}
