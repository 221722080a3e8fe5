module hookline.test/clients

go 1.22

require github.com/segmentio/analytics-go v1.2.0

require (
	github.com/jehiah/go-strftime v0.0.0-20171201141054-1d33003b3869 // indirect
	github.com/visionmedia/go-debug v0.0.0-20180109164601-bfacf9d8a444 // indirect
	github.com/xtgo/uuid v0.0.0-20140804021211-a0b114877d4c // indirect
)
