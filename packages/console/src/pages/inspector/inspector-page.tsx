import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function InspectorPage(): ReactElement {
  return <PageHeading title="Inspector" />
}
