module hookline.dev/clients/go

go 1.21
