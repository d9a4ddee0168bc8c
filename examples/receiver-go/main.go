package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

type Event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Pda  string          `json:"pda"`
	Data json.RawMessage `json:"data"`
}

const tolerance = 300 * time.Second

var (
	secret = []byte(os.Getenv("WEBHOOK_SECRET"))
	seen   sync.Map
)

func verify(rawBody []byte, header http.Header) (event Event, err error) {
	timestamp := header.Get("X-Service-Timestamp")
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(expected), []byte(header.Get("X-Service-Signature"))) {
		return event, errors.New("wrong signature")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return event, errors.New("timestamp too old or too new")
	}
	err = json.Unmarshal(rawBody, &event)
	return event, err
}

func receive(response http.ResponseWriter, request *http.Request) {
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil {
		return
	}
	event, err := verify(rawBody, request.Header)
	if err != nil {
		log.Print(err)
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	response.WriteHeader(http.StatusOK)
	if _, duplicate := seen.LoadOrStore(event.ID, true); !duplicate {
		fmt.Println(event.Type, event.Pda, string(event.Data))
	}
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
