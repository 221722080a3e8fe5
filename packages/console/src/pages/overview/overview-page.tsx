import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
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
  if (useIsNew()) return <Navigate to="/get-started" replace />
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

/** Whether the tab has just been opened on a service that has no event yet: the overview would have nothing to show. */
function useIsNew(): boolean {
  const { state } = useLocation()
  const isFirstPage = state.__TSR_index === 0
  const { data } = useQuery({
    queryKey: ['events', 'any'],
    enabled: isFirstPage,
    queryFn: () => api.listEvents({ limit: 1 }),
  })
  return isFirstPage && data?.data.length === 0
}
