import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function SourcesPage(): ReactElement {
  return <PageHeading title="Sources" />
}
