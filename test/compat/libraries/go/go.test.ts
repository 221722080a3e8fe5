import { testLibraries } from '../suite.ts'
import { GO_LIBRARIES } from './libraries.ts'

testLibraries(GO_LIBRARIES)
