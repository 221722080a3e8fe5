import { testLibraries } from '../suite.ts'
import { JAVA_LIBRARIES } from './libraries.ts'

testLibraries(JAVA_LIBRARIES)
