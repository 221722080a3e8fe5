import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactElement, useEffect } from 'react'
import { api } from '../../api/client.ts'
import { Select } from '../../design/controls/field.tsx'
import { PERIOD_CHOICES, periodOf } from '../../domain/periods.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { DestinationsPanel } from './destinations-panel.tsx'
import { Figures } from './figures.tsx'
import { OutcomesPanel } from './outcomes-panel.tsx'
import { ProblemsPanel } from './problems-panel.tsx'

export function OverviewPage(): ReactElement {
  const [url, setUrl] = useUrlState<'period'>()
  const period = periodOf(url.period)
  useWelcomeRedirect()
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

/** Redirects a new tab to Get started while the service has no events. */
function useWelcomeRedirect(): void {
  const { state } = useLocation()
  const navigate = useNavigate()
  const isFirstPage = state.__TSR_index === 0
  const { data } = useQuery({
    queryKey: ['events', 'any'],
    enabled: isFirstPage,
    queryFn: () => api.listEvents({ limit: 1 }),
  })
  const isNew = isFirstPage && data?.data.length === 0
  useEffect(() => {
    if (isNew) void navigate({ to: '/get-started', replace: true })
  }, [isNew, navigate])
}
