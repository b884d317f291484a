// Uploads with net/http, one per line of the input.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type cutting struct {
	body io.Reader
	left int
}

func (reader *cutting) Read(target []byte) (int, error) {
	if reader.left <= 0 {
		return 0, errors.New("cut")
	}
	count, err := reader.body.Read(target[:min(len(target), 1<<16)])
	reader.left -= count
	return count, err
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func send(client *http.Client, words []string) string {
	content, err := os.ReadFile(words[3])
	if err != nil {
		return err.Error()
	}
	cut, _ := strconv.Atoi(words[5])
	var body io.Reader = bytes.NewReader(content)
	if cut > 0 {
		body = &cutting{body, cut}
	}
	request, err := http.NewRequest("POST", words[0], io.NopCloser(body))
	if err != nil {
		return err.Error()
	}
	if !strings.Contains(words[4], "chunked") {
		request.ContentLength = int64(len(content))
		if len(content) == 0 {
			request.Body = http.NoBody
		}
	}
	request.Header.Set("X-API-Key", words[1])
	request.Header.Set("Content-Type", words[2])
	if strings.Contains(words[4], "expect") {
		request.Header.Set("Expect", "100-continue")
	}
	answer, err := client.Do(request)
	if err != nil {
		if os.IsTimeout(err) {
			return "hangs"
		}
		if cut > 0 {
			return "cut"
		}
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	if request.Header.Get("Expect") != "" {
		// Go before 1.22.5 would send its next request on this connection, although a body is due there.
		client.CloseIdleConnections()
	}
	return strconv.Itoa(answer.StatusCode)
}

func main() {
	transport := &http.Transport{ExpectContinueTimeout: 120 * time.Second}
	client := &http.Client{Timeout: 120 * time.Second, Transport: transport}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(send(client, strings.Split(lines.Text(), "\t")))
	}
}
