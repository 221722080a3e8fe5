import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function AudiencesPage(): ReactElement {
  return <PageHeading title="Audiences" />
}
